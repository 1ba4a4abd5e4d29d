"""Words that stand where a result should: why there is none, or how far a test went without one."""

from __future__ import annotations

import re
from typing import Final

ERROR: Final = re.compile(
    r"^#(?:REF|N/A|DIV/0|VALUE|NAME|NUM|NULL|SPILL|CALC|GETTING_DATA|BLOCKED)[!?]?$", re.IGNORECASE
)
STATUS: Final = re.compile(
    r"^(?:-+|–+|—+|\?+|\*+|x+|nil|none|n/?[at]|not (?:applicable|available|analy[sz]ed|sampled|reported|tested|taken|"
    r"required|run|measured|metered|collected|calculated|determined|recorded|ignitable|flammable|enough.*)|no (?:data|"
    r"discharge|flow|result|reading|test|event|sample.*)|dry|nr|ns|nm|qns|nodi\s*\S*|null|nan|lost|broken|plugged|"
    r"block(?:ed)?|removed|pending|tbd|void(?:ed)?|cancel(?:led|ed)?(?: .*)?|offline|out of service|error|bad|missing|"
    r"see (?:note|comment|report|attached).*|report|monitor(?:ing)?(?: only)?|same|ditto|ok|pass|fail|yes|no|"
    r"shut ?down|maintenance|calibration|bad input|no good data.*|i/o timeout|rejected|invalid(?: sample)?|r|q|"
    r"present|absent|interference.*|matrix interference|insufficient.*|quantity not sufficient|hold(?:ing)? time.*|"
    r"lab(?:oratory)? error|(?:sample|bottle|container)s? (?:is |was |not )?(?:lost|broken|spilled|void|rejected|"
    r"frozen|received|taken|collected)|non-?(?:flammable|ignitable|combustible))\.?$",
    re.IGNORECASE,
)
UNCOUNTED: Final = re.compile(r"^(?:tntc|too numerous to count|confluent(?: growth)?|cg)$", re.IGNORECASE)

_NONE: Final = (
    r"(?:no (?:flash|ignition)|did not (?:flash|ignite)|dnf|nf)(?:\s*point)?(?:\s+(?:observed|detected|noted|seen))?"
)
NO_FLASH: Final = re.compile(
    rf"^{_NONE}(?:\s*[,;:(]?\s*(?:to|at|up to|below|before|<|>|@|through|until)?\s*(?P<n>[\d.].*?)\)?)?$", re.IGNORECASE
)
"""A flash point that was not reached, and the temperature that was."""
FLASH_AFTER: Final = re.compile(rf"^(?P<n>>.*?)\s*[,;(]?\s*{_NONE}\)?$", re.IGNORECASE)
"""The same, the temperature first: `>140 (no flash)`."""
