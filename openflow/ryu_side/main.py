"""`python -m openflow.ryu_side.main`: does what one JSON object on standard input asks, answers with another.

Ryu is a process of its own: eventlet changes how the whole process does I/O.
"""

import json
import sys
from typing import Any

from openflow.ryu_side.session import Conversation, Session, SwitchError

from ryu import cfg  # isort: skip
from ryu.base.app_manager import AppManager  # isort: skip
from ryu.lib import hub  # isort: skip

from openflow.wire import Difference, Flow, difference, flow_from

OFP_VERSIONS = {"1.3": 4, "1.4": 5}


def main() -> None:
    """Read the request, talk to the switch, write the answer; exit at once, greenlets and all."""
    request = json.load(sys.stdin)
    manager = _start(request)
    try:
        answer = _run(request)
    except SwitchError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)
    sys.stdout.flush()
    hub.kill(hub.spawn(manager.close))
    sys.exit(0)


def _start(request: Any) -> AppManager:
    Session.OFP_VERSIONS = [OFP_VERSIONS[request["openflow"]]]
    cfg.CONF(args=[], project="ryu")
    cfg.CONF.set_override("ofp_switch_address_list", [request["address"]])
    manager = AppManager.get_instance()
    manager.load_apps(["ryu.controller.ofp_handler", "openflow.ryu_side.session"])
    manager.instantiate_apps(**manager.create_contexts())
    return manager


def _run(request: Any) -> dict[str, Any]:
    talk = Conversation(request["table"], request["timeout"])
    talk.connect()
    before = talk.read()
    if "wanted" not in request:
        return {"flows": [[*flow.as_list(), count] for flow, count in before]}
    wanted = [flow_from(row) for row in request["wanted"]]
    found = _compare(wanted, before, request)
    answer = {
        "add": [flow.as_list() for flow in found.add],
        "remove": [flow.as_list() for flow in found.remove],
        "foreign": [flow.as_list() for flow in found.foreign],
        "kept": found.kept,
    }
    if request["dry_run"] or found.foreign or not (found.add or found.remove):
        return answer
    talk.change(list(found.remove), list(found.add), _progress(len(found.remove) + len(found.add)))
    left = _compare(wanted, talk.read(), request)
    if left.add or left.remove:
        raise SwitchError(
            f"the switch reports success but holds something else: {len(left.add)} entries are missing, "
            f"{len(left.remove)} too many"
        )
    return answer


def _compare(wanted: list[Flow], installed: list[tuple[Flow, int]], request: Any) -> Difference:
    return difference(wanted, (flow for flow, _ in installed), request["cookie"], request["cookie_mask"])


def _progress(total: int) -> Any:
    def tell(done: int) -> None:
        if done % 1000 == 0:
            sys.stderr.write(f"{done} of {total} changes sent\n")

    return tell


if __name__ == "__main__":
    main()
