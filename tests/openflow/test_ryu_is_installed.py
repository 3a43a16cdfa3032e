"""Ryu's OpenFlow codec works here; the controller side comes with the offload."""

from ryu.ofproto import ofproto_parser, ofproto_protocol, ofproto_v1_3, ofproto_v1_3_parser


def test_a_flow_mod_survives_the_wire() -> None:
    datapath = ofproto_protocol.ProtocolDesc(version=ofproto_v1_3.OFP_VERSION)
    match = ofproto_v1_3_parser.OFPMatch(eth_type=0x0800, ip_proto=6, tcp_dst=443)
    sent = ofproto_v1_3_parser.OFPFlowMod(datapath, priority=7, match=match, instructions=[])
    sent.serialize()
    version, kind, length, xid = ofproto_parser.header(sent.buf)
    received = ofproto_parser.msg(datapath, version, kind, length, xid, bytes(sent.buf))
    assert (received.priority, dict(received.match.items())) == (7, dict(match.items()))
