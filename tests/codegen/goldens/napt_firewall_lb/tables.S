/* tables.S: the static tables' data (formats: runtime/static_tables.h). */
    .section .rodata
    .balign 8
    .global table_nat_router_routes
table_nat_router_routes:
    .incbin "tables/nat_router.routes.bin"
    .balign 8
    .global table_firewall_allow
table_firewall_allow:
    .incbin "tables/firewall.allow.bin"
    .balign 8
    .global table_firewall_router_routes
table_firewall_router_routes:
    .incbin "tables/firewall_router.routes.bin"
    .balign 8
    .global table_balancer_backends
table_balancer_backends:
    .incbin "tables/balancer.backends.bin"
    .balign 8
    .global table_balancer_router_routes
table_balancer_router_routes:
    .incbin "tables/balancer_router.routes.bin"
    .section .note.GNU-stack, "", %progbits
