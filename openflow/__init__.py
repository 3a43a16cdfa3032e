"""Everything that speaks OpenFlow: flow tables for a switch, and the Ryu side that pushes them."""
