"""The protocol test suite of Jupyter (package jupyter-kernel-test) for the Gondwana kernel, and for its neighbours.

usage: JUPYTER_PATH=FOLDER python conformance.py [-v]
KERNEL names the kernelspec, default "gondwana". DIALECT says what its cells understand: "gondwana" (default),
"tslab", "deno" or "python": the same tests, in that kernel's own words.
"""
import os
import unittest

import jupyter_kernel_test

KERNEL = os.environ.get("KERNEL", "gondwana")
DIALECT = os.environ.get("DIALECT", "gondwana")

TYPESCRIPT = dict(
    language_name="typescript",
    file_extension=".ts",
    code_hello_world="console.log('hello, world')",
    code_stderr="console.error('to the error stream')",
    code_page_something="Math.hypot?",
    code_generate_error="throw new RangeError('as planned')",
    code_inspect_sample="Math.hypot",
    code_clear_output="clearOutput()",
    code_execute_result=[
        {"code": "6 * 7", "result": "42"},
        {"code": "'geo'.concat('spatial')", "result": "'geospatial'"},
        {"code": "const bands: number[] = [2, 3, 4];\nbands", "result": "[ 2, 3, 4 ]"},
        {"code": "await Promise.resolve(new Map([['B04', 665]]))", "result": "Map(1) { 'B04' => 665 }"},
    ],
    code_display_data=[
        {"code": "display.html('<b>red edge</b>')", "mime": "text/html"},
        {"code": "display.markdown('**red edge**')", "mime": "text/markdown"},
        {"code": "display.svg('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')", "mime": "image/svg+xml"},
        {"code": "display.png(Buffer.from('89504e470d0a1a0a', 'hex'))", "mime": "image/png"},
        {"code": "display.raw('application/geo+json', { type: 'Point', coordinates: [1, 2] })",
         "mime": "application/geo+json"},
    ],
    completion_samples=[
        {"text": "const band = 'red'; band.toUpper", "matches": {"toUpperCase"}},
        {"text": "Math.hyp", "matches": {"hypot"}},
        {"text": "consol", "matches": {"console"}},
    ],
    complete_code_samples=[
        "1 + 1", "const gsdM: number = 10;", "function f() { return 1 }", "class A {\n}", "`a\nb`",
        "// only a comment",
    ],
    incomplete_code_samples=[
        "class A {", "[1, 2,", "f(", "`open", "if (true) {\n  f()", "/* open", "const f = (a) =>",
    ],
    invalid_code_samples=["let = 1 2", "const x = ;)", "import", "class { }}"],
)

TSLAB = "import * as tslab from 'tslab';\ntslab.display"
DIALECTS = {
    "gondwana": TYPESCRIPT,
    "tslab": TYPESCRIPT | dict(
        code_clear_output="import * as tslab from 'tslab';\n(tslab as any).clearOutput()",
        code_display_data=[
            {"code": f"{TSLAB}.html('<b>red edge</b>')", "mime": "text/html"},
            {"code": f"{TSLAB}.markdown('**red edge**')", "mime": "text/markdown"},
            {"code": f"{TSLAB}.png(Buffer.from('89504e470d0a1a0a', 'hex'))", "mime": "image/png"},
        ],
    ),
    "deno": TYPESCRIPT | dict(
        code_clear_output="await Deno.jupyter.broadcast('clear_output', {wait: false})",
        # results carry colour codes: only that there is one is asked
        code_execute_result=[{"code": "6 * 7"}, {"code": "'geo'.concat('spatial')"}],
        code_display_data=[
            {"code": "await Deno.jupyter.display({'text/html': '<b>red edge</b>'}, {raw: true})",
             "mime": "text/html"},
        ],
    ),
    "python": dict(
        language_name="python",
        file_extension=".py",
        code_hello_world="print('hello, world')",
        code_stderr="import sys; print('to the error stream', file=sys.stderr)",
        code_page_something="zip?",
        code_generate_error="raise ValueError('as planned')",
        code_inspect_sample="zip",
        code_clear_output="from IPython.display import clear_output; clear_output()",
        code_execute_result=[{"code": "6 * 7", "result": "42"}, {"code": "'geo' + 'spatial'", "result": "'geospatial'"}],
        code_display_data=[
            {"code": "from IPython.display import HTML, display; display(HTML('<b>red edge</b>'))", "mime": "text/html"},
        ],
        completion_samples=[{"text": "zi", "matches": {"zip"}}],
        complete_code_samples=["1", "def f():\n  return 1\n"],
        incomplete_code_samples=["for i in range(3):", "f("],
        invalid_code_samples=["import = 7q"],
    ),
}


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = KERNEL
    code_history_pattern = "6 ?*"
    supported_history_operations = ("tail", "range", "search")


for name, value in DIALECTS[DIALECT].items():
    setattr(Conformance, name, value)


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = KERNEL
    # the suite's own test loops for ever on a kernel that sends none
    support_iopub_welcome = os.environ.get("WELCOME", "1" if DIALECT == "gondwana" else "0") == "1"


if __name__ == "__main__":
    unittest.main()
