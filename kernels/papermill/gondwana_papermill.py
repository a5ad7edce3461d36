"""Lets papermill's -p write parameters in TypeScript, for the kernels gondwana and tslab.

papermill takes translators of parameters from its own code alone; packages may add engines. This one is the engine
that papermill uses anyway; as papermill loads it, the translator registers itself.
"""

import json
import re

from papermill.engines import NBClientEngine
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators


class TypeScriptTranslator(Translator):
    """Every value is JSON, which TypeScript reads.

    Values are assigned, not declared anew: the compiler then refuses names that the parameters cell has not, and
    values of another type, such as the text "false" that papermill makes of `-p quick false`.
    """

    @classmethod
    def translate(cls, val):
        return json.dumps(val, ensure_ascii=False, default=str)

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}"

    @classmethod
    def assign(cls, name, str_val):
        return f"{name} = {str_val};"

    @classmethod
    def inspect(cls, parameters_cell):
        """Declarations of one line each: `let name: type = value; // help`."""
        declaration = re.compile(
            r"^\s*(?:let|const|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::\s*(?P<type>[^=]+?))?\s*="
            r"\s*(?P<value>.*?)\s*;?\s*(?://\s*(?P<help>.*))?$"
        )
        found = filter(None, map(declaration.match, parameters_cell["source"].splitlines()))
        return [
            Parameter(match["name"], match["type"] or "None", match["value"], match["help"] or "") for match in found
        ]


class GondwanaEngine(NBClientEngine):
    """papermill's own engine, under a name that papermill finds."""


papermill_translators.register("typescript", TypeScriptTranslator)
