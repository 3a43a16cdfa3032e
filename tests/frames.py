"""Frames for tests."""

from synth.traffic.frames import ICMP, TCP, UDP, Frame, ip, ones_complement_sum, read_frame

__all__ = ["ICMP", "TCP", "UDP", "Frame", "ip", "ones_complement_sum", "read_frame"]
