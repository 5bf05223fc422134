"""Times extruct and frankensurf on the folder that the bench example reads: peers.py FOLDER [RUNS].

Prints a row for each: name, tab, the median page in milliseconds, or why there is none.
"""
import gzip
import importlib.util
import json
import pathlib
import statistics
import sys
import time

FIELDS = {name: {"type": "string"} for name in ("name", "description", "currency", "brand", "sku", "availability", "image")}
SCHEMA = {"type": "object", "properties": {**FIELDS, "price": {"type": "number"}}}
EXTRUCT = "extruct, JSON-LD + microdata + Open Graph"
SCHEMA_EXTRACT = "frankensurf, schema_extract alone, JSON-LD given"
FRANKENSURF = "frankensurf, a parse as its reader's, and schema_extract"


def read_pages(folder):
    paths = sorted(path for path in folder.iterdir() if path.name.endswith((".html", ".html.gz")))
    read = {True: lambda path: gzip.decompress(path.read_bytes()), False: lambda path: path.read_bytes()}
    return [read[path.suffix == ".gz"](path).decode("utf-8", "replace") for path in paths]


def median_ms(pages, runs, work):
    return statistics.median(min(timed(page, work) for _ in range(runs)) for page in pages)


def timed(page, work):
    start = time.perf_counter()
    try:
        work(page)
    except Exception:  # a page that a peer cannot read still took its time
        pass
    return (time.perf_counter() - start) * 1000


def extruct_row(pages, runs):
    import extruct

    syntaxes = ["json-ld", "microdata", "opengraph"]
    return median_ms(pages, runs, lambda html: extruct.extract(html, base_url="https://example.com/", syntaxes=syntaxes))


def schema_extract():
    """The package as a whole needs Python 3.12 and a browser; this module of it stands alone."""
    package = importlib.util.find_spec("frankensurf")
    if package is None:
        raise ImportError("frankensurf is not installed")
    file = pathlib.Path(package.submodule_search_locations[0]) / "schema_extract.py"
    spec = importlib.util.spec_from_file_location("schema_extract", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.extract


def schema_extract_row(pages, runs):
    extract = schema_extract()
    results = [read_result(html) for html in pages]
    return median_ms(results, runs, lambda result: extract(SCHEMA, result))


def frankensurf_row(pages, runs):
    extract = schema_extract()
    return median_ms(pages, runs, lambda html: extract(SCHEMA, read_result(html)))


def read_result(html):
    """What the package's reader hands to the module: the page, and the JSON found in it by the same parser."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    json_ld = [data for data in map(loaded, soup.find_all("script", type="application/ld+json")) if data is not None]
    scripts = soup.find_all("script", type="application/json")
    embedded = [{"id": script.get("id"), "data": data} for script in scripts if (data := loaded(script)) is not None]
    return {"content": html, "structured": {"jsonld": json_ld, "embedded_json": embedded}}


def loaded(script):
    try:
        return json.loads(script.get_text())
    except ValueError:
        return None


def main():
    pages = read_pages(pathlib.Path(sys.argv[1]))
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for name, row in ((EXTRUCT, extruct_row), (SCHEMA_EXTRACT, schema_extract_row), (FRANKENSURF, frankensurf_row)):
        try:
            print(f"{name}\t{row(pages, runs):.3f}", flush=True)
        except ImportError as error:
            print(f"{name}\tnot measured: {error}", flush=True)


main()
