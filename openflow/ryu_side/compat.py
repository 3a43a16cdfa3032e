"""Makes Ryu 4.34 run on today's Python and eventlet. Imported before anything of Ryu.

- eventlet 0.33 took `ALREADY_HANDLED` away, which `ryu.app.wsgi` imports (ryu issue 138).
- eventlet says that it is deprecated: nothing that a user can act on.
- Ryu always listens for switches. Here it only goes to the one that it is given.
"""

import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)

import eventlet  # noqa: E402 - the warnings come with the imports

eventlet.monkey_patch()

import eventlet.wsgi  # noqa: E402

eventlet.wsgi.ALREADY_HANDLED = object()

import ryu.base.app_manager  # noqa: E402,F401 - its imports go round in circles from elsewhere
from ryu.controller import controller, ofp_handler  # noqa: E402


class _ClientOnly(controller.OpenFlowController):  # type: ignore[misc]
    """Ryu's controller without its server."""

    def __init__(self) -> None:
        self._clients: dict[object, object] = {}

    def __call__(self) -> None:
        """Connect to the switches of the configuration; never listen."""
        for address in controller.CONF.ofp_switch_address_list:
            host, _, port = address.rpartition(":")
            self.spawn_client_loop((host.strip("[]"), int(port)), interval=1)


ofp_handler.OpenFlowController = _ClientOnly
