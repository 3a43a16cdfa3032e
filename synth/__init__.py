"""The service-chain synthesizer: from a `.chain` file to one proved, parallel DPDK binary."""
