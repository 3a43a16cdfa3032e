"""One conversation with one switch: read its table, change it as a whole, read it again.

The conversation is a plain function over an inbox of events; the Ryu application only fills the inbox.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from openflow.ryu_side import compat  # noqa: F401 - before Ryu

from ryu.base import app_manager  # isort: skip
from ryu.controller import ofp_event  # isort: skip
from ryu.controller.handler import (  # isort: skip
    CONFIG_DISPATCHER,
    DEAD_DISPATCHER,
    HANDSHAKE_DISPATCHER,
    MAIN_DISPATCHER,
    set_ev_cls,
)
from ryu.lib import hub  # isort: skip

from openflow.ryu_side.messages import add_message, delete_message, flow_from_stats
from openflow.wire import Flow

BATCH = 100
"""So many messages are sent before others get their turn: a switch's echo must be answered."""
ALL = [HANDSHAKE_DISPATCHER, CONFIG_DISPATCHER, MAIN_DISPATCHER]
INBOX: Any = hub.Queue()


class SwitchError(Exception):
    """The switch refused something, went away or did not answer."""


class Session(app_manager.RyuApp):  # type: ignore[misc]
    """Puts what a switch says into the inbox."""

    OFP_VERSIONS: ClassVar[list[int]] = [5]

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def state(self, event: Any) -> None:
        """A switch is ready, or gone."""
        INBOX.put(("ready" if event.state == MAIN_DISPATCHER else "gone", event.datapath))

    @set_ev_cls(ofp_event.EventOFPErrorMsg, ALL)
    def error(self, event: Any) -> None:
        """A switch refuses something."""
        INBOX.put(("error", event.msg))

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def barrier(self, event: Any) -> None:
        """All before a barrier is done."""
        INBOX.put(("barrier", event.msg))

    @set_ev_cls(ofp_event.EventOFPFlowStatsReply, MAIN_DISPATCHER)
    def flows(self, event: Any) -> None:
        """A part of a table."""
        INBOX.put(("flows", event.msg))

    @set_ev_cls(ofp_event.EventOFPBundleCtrlMsg, MAIN_DISPATCHER)
    def bundle(self, event: Any) -> None:
        """A bundle's answer, OpenFlow 1.4."""
        INBOX.put(("bundle", event.msg))

    @set_ev_cls(ofp_event.EventONFBundleCtrlMsg, MAIN_DISPATCHER)
    def extension_bundle(self, event: Any) -> None:
        """A bundle's answer, the ONF's extension of OpenFlow 1.3."""
        INBOX.put(("bundle", event.msg))


class Conversation:
    """What is asked and answered, in order. `timeout` is seconds that a switch may take for each answer."""

    def __init__(self, table: int, timeout: float) -> None:
        self._table = table
        self._timeout = timeout
        self._datapath: Any = None

    def connect(self) -> None:
        """Wait for the switch.

        Raises:
            SwitchError: it is not there, or speaks other versions only.
        """
        kind, what = self._next(("ready", "error", "gone"), "the switch does not answer")
        if kind == "error":
            raise SwitchError(
                "the switch speaks no version of OpenFlow that was asked for: "
                + _printable(getattr(what, "data", b""))
            )
        if kind == "gone":
            raise SwitchError("the switch closed the connection; does it speak this version of OpenFlow?")
        self._datapath = what

    def read(self) -> list[tuple[Flow, int]]:
        """Return all flows of the table with their packet counts."""
        parser, ofproto = self._datapath.ofproto_parser, self._datapath.ofproto
        xid = self._send(
            parser.OFPFlowStatsRequest(
                self._datapath, 0, self._table, ofproto.OFPP_ANY, ofproto.OFPG_ANY, 0, 0, parser.OFPMatch()
            )
        )
        found: list[tuple[Flow, int]] = []
        while True:
            reply = self._answer("flows", xid, "the switch does not show its flows")
            found += [flow_from_stats(stats) for stats in reply.body]
            if not reply.flags & ofproto.OFPMPF_REPLY_MORE:
                return found

    def change(
        self, remove: list[Flow], add: list[Flow], progress: Callable[[int], None] = lambda _: None
    ) -> None:
        """Make all changes or none.

        A bad message in a bundle is refused and left out, and the bundle can still be committed (Open vSwitch
        3.1): so a barrier comes first, and any error since the bundle was opened discards it.

        Raises:
            SwitchError: a change was refused; the table is as it was.
        """
        bundle = _Bundle(self._datapath)
        self._ask_bundle(bundle, "OPEN")
        xids: set[int] = set()
        messages = self._messages(remove, add)
        for number, message in enumerate(messages, start=1):
            xids.add(self._send(bundle.holding(message)))
            if number % BATCH == 0:
                hub.sleep(0)
                progress(number)
        self.barrier()
        errors = [text for kind, text in self._pending() if kind == "error"]
        if errors:
            self._ask_bundle(bundle, "DISCARD")
            raise SwitchError(
                f"the switch refuses {len(errors)} of {len(xids)} changes: {_error_text(errors[0])}"
            )
        self._ask_bundle(bundle, "COMMIT")

    def barrier(self) -> None:
        """Wait until the switch has done all before."""
        self._stash: list[tuple[str, Any]] = []
        xid = self._send(self._datapath.ofproto_parser.OFPBarrierRequest(self._datapath))
        end = time.monotonic() + self._timeout
        while True:
            kind, what = self._take(end, "the switch does not answer a barrier")
            if kind == "barrier" and what.xid == xid:
                return
            self._stash.append((kind, what))

    def _pending(self) -> Iterator[tuple[str, Any]]:
        stash, self._stash = self._stash, []
        yield from stash
        while not INBOX.empty():
            yield INBOX.get()

    def _messages(self, remove: list[Flow], add: list[Flow]) -> Iterator[Any]:
        for flow in remove:
            yield delete_message(self._datapath, flow, self._table)
        for flow in add:
            yield add_message(self._datapath, flow, self._table)

    def _ask_bundle(self, bundle: "_Bundle", what: str) -> None:
        xid = self._send(bundle.control(f"{what}_REQUEST"))
        self._answer("bundle", xid, f"the switch does not {what.lower()} a bundle")

    def _answer(self, wanted: str, xid: int, otherwise: str) -> Any:
        end = time.monotonic() + self._timeout
        while True:
            kind, what = self._take(end, otherwise)
            if kind == "error":
                raise SwitchError(f"{otherwise}: {_error_text(what)}")
            if kind == wanted and what.xid == xid:
                return what

    def _next(self, wanted: tuple[str, ...], otherwise: str) -> tuple[str, Any]:
        end = time.monotonic() + self._timeout
        while True:
            kind, what = self._take(end, otherwise, may_be_gone=True)
            if kind in wanted:
                return kind, what

    def _take(self, end: float, otherwise: str, *, may_be_gone: bool = False) -> tuple[str, Any]:
        try:
            kind, what = INBOX.get(timeout=max(0.001, end - time.monotonic()))
        except hub.QueueEmpty:
            raise SwitchError(f"{otherwise} within {self._timeout:g} s") from None
        if kind == "gone" and not may_be_gone:
            raise SwitchError("the connection to the switch is lost")
        return kind, what

    def _send(self, message: Any) -> int:
        # False: discarded since the connection is gone. True says only that it is queued.
        if not self._datapath.send_msg(message):
            raise SwitchError("the connection to the switch is lost")
        sent: int = message.xid
        return sent


class _Bundle:
    """A bundle's messages, in OpenFlow 1.4 or the ONF's extension of 1.3."""

    ID = 0x53594E54

    def __init__(self, datapath: Any) -> None:
        self._datapath = datapath
        self._parser, self._ofproto = datapath.ofproto_parser, datapath.ofproto
        self._prefix = "ONF" if datapath.ofproto.OFP_VERSION == 4 else "OFP"

    def control(self, what: str) -> Any:
        kind = getattr(self._ofproto, f"{self._prefix}{'_BCT' if self._prefix == 'ONF' else 'BCT'}_{what}")
        return getattr(self._parser, f"{self._prefix}BundleCtrlMsg")(
            self._datapath, self.ID, kind, self._flags, []
        )

    def holding(self, message: Any) -> Any:
        """Return the message that adds another to the bundle; both have one xid."""
        add = getattr(self._parser, f"{self._prefix}BundleAddMsg")
        return add(self._datapath, self.ID, self._flags, message, [])

    @property
    def _flags(self) -> int:
        atomic: int = getattr(self._ofproto, "ONF_BF_ATOMIC" if self._prefix == "ONF" else "OFPBF_ATOMIC")
        ordered: int = getattr(self._ofproto, "ONF_BF_ORDERED" if self._prefix == "ONF" else "OFPBF_ORDERED")
        return atomic | ordered


def _error_text(error: Any) -> str:
    """Return an error in OpenFlow's words; Ryu cannot name an experimenter's."""
    if getattr(error, "code", None) is None:
        return f"extension error {error.exp_type}"
    ofproto = error.datapath.ofproto
    return (
        f"{ofproto.ofp_error_type_to_str(error.type)} {ofproto.ofp_error_code_to_str(error.type, error.code)}"
    )


def _printable(data: bytes) -> str:
    return bytes(data).decode("ascii", "replace")
