"""Times extruct and frankensurf on the folder that the bench example reads: peers.py FOLDER [RUNS]. Prints the median page."""
import gzip
import pathlib
import statistics
import sys
import time

folder = pathlib.Path(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
pages = [gzip.decompress(path.read_bytes()).decode("utf-8", "replace") for path in sorted(folder.glob("*.gz"))]
FIELDS = {name: {"type": "string"} for name in ("name", "description", "currency", "brand", "sku", "availability", "image")}
SCHEMA = {"type": "object", "properties": {**FIELDS, "price": {"type": "number"}}}


def median_ms(work):
    times = []
    for html in pages:
        best = float("inf")
        for _ in range(runs):
            start = time.perf_counter()
            try:
                work(html)
            except Exception:  # a page that a peer cannot read still took its time
                pass
            best = min(best, time.perf_counter() - start)
        times.append(best * 1000)
    return statistics.median(times)


try:
    import extruct

    syntaxes = ["json-ld", "microdata", "opengraph"]
    print(f"extruct json-ld+microdata+opengraph  {median_ms(lambda html: extruct.extract(html, base_url='https://example.com/', syntaxes=syntaxes)):8.2f} ms")
except ImportError:
    print("extruct is not installed")
try:
    from frankensurf.schema_extract import extract_schema

    print(f"frankensurf schema_extract           {median_ms(lambda html: extract_schema(html, SCHEMA)):8.2f} ms")
except ImportError as error:
    print(f"frankensurf is not installed ({error})")
