/* tables.S: the static tables' data (formats: runtime/static_tables.h). */
    .section .rodata
    .balign 8
    .global table_acl_rules
table_acl_rules:
    .incbin "built_in/acl.rules.bin"
    .balign 8
    .global table_router_routes
table_router_routes:
    .incbin "tables/router.routes.bin"
    .section .note.GNU-stack, "", %progbits
