/* tables.S: the static tables' data (formats: runtime/static_tables.h). */
    .section .rodata
    .balign 8
    .global table_router_1_routes
table_router_1_routes:
    .incbin "tables/router_1.routes.bin"
    .section .note.GNU-stack, "", %progbits
