"""Make the ISP chain's example captures: traffic that its rules know, some of it odd, and answers.

    python -m tests.differential.make_captures

The answers go to the public ports that the binary chose, so they are made by running it.
"""

import tempfile
from pathlib import Path

from synth.captures import CapturedPacket, write_capture
from synth.driver import Source, load
from tests.conftest import REPOSITORY
from tests.differential.harness import build_graph, traffic_with_answers


def main() -> None:
    """Write chains/isp/lan.pcap and wan.pcap."""
    source = REPOSITORY / "chains" / "isp" / "isp_chain.chain"
    with tempfile.TemporaryDirectory() as folder:
        graph = load(Source(path=source)).graph
        binary = build_graph(graph, Path(folder) / "built")
        arrivals = traffic_with_answers(graph, binary, seed=2026, count=600, folder=Path(folder))
    for interface in graph.interfaces:
        packets = [CapturedPacket(one.time, one.data) for one in arrivals if one.interface == interface.name]
        write_capture(source.parent / f"{interface.name}.pcap", packets)


if __name__ == "__main__":
    main()
