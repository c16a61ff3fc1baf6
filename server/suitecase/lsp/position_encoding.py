"""What a client counts in lines, where it can only say so in its initialization options."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

#: The initialization option; its values are those of `general.positionEncodings`.
OPTION = "positionEncoding"
_ENCODINGS = {it.value for it in types.PositionEncodingKind}


def declare_encoding(params: Any) -> None:
    """Write the initialization option where the protocol has it, in the parameters of `initialize`.

    Some clients count bytes or characters, and let nobody who configures a server add to the
    capabilities they send: for those it is an option. Anything else is left as it is.

    Args:
        params: the parameters as they came, of whatever type.
    """
    if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
        return
    options = params.get("initializationOptions")
    encoding = options.get(OPTION) if isinstance(options, dict) else None
    if isinstance(encoding, str) and encoding in _ENCODINGS:
        general = params["capabilities"].get("general")
        declared = general if isinstance(general, dict) else {}
        params["capabilities"]["general"] = {**declared, "positionEncodings": [encoding]}
