"""Executes a notebook with nbclient and writes it back with its outputs.

usage: python execute_notebook.py IN.ipynb OUT.ipynb WORKING_FOLDER [NAME VALUE ...]
NAME VALUE pairs (VALUE is JSON) go into a cell after the one tagged `parameters`. Exits 1 where a cell fails;
OUT then holds the outputs so far. Prints one JSON line: seconds, kernel process id, failed.
"""

import json
import sys
import time

import nbformat
from nbclient import NotebookClient


def inject(notebook, values):
    for index, cell in enumerate(notebook.cells):
        if "parameters" in cell.metadata.get("tags", []):
            # plain tslab: a later cell assigns to the `let` of an earlier one
            source = "\n".join(f"{name} = {value};" for name, value in values)
            notebook.cells.insert(index + 1, nbformat.v4.new_code_cell(source))
            return
    raise SystemExit("the notebook has no cell tagged `parameters`")


def main():
    source, target, folder, *pairs = sys.argv[1:]
    notebook = nbformat.read(source, 4)
    if pairs:
        inject(notebook, list(zip(pairs[::2], pairs[1::2])))
    client = NotebookClient(notebook, timeout=280, resources={"metadata": {"path": folder}})
    started = time.monotonic()
    failed = ""
    pid = None
    try:
        with client.setup_kernel():
            pid = client.km.provisioner.pid
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
    except Exception as error:  # a cell's failure or a dead kernel: told to the caller
        failed = f"{type(error).__name__}: {error}"
    nbformat.write(notebook, target)
    print(json.dumps({"seconds": time.monotonic() - started, "pid": pid, "failed": failed}))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
