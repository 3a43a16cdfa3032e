/* tables.S: the static tables' data (formats: runtime/static_tables.h). */
    .section .rodata
    .balign 8
    .global table_box_rules
table_box_rules:
    .incbin "tables/box.rules.bin"
    .balign 8
    .global table_box_routes
table_box_routes:
    .incbin "tables/box.routes.bin"
    .balign 8
    .global table_box_backends
table_box_backends:
    .incbin "tables/box.backends.bin"
    .balign 8
    .global table_box_picks
table_box_picks:
    .incbin "tables/box.picks.bin"
    .section .note.GNU-stack, "", %progbits
