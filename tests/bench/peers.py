"""The same work by others, alternating with ours: peers.py BUILD [--only PREFIX] [--json]

Each line is a row of the benchmark, which answers run by run (bench --serve), and a peer at its best: with both
processors where it uses them, on arrays that are there already, with nothing allocated anew where that can be
avoided. Medians, and the median of the ratios of neighbouring runs with their spread.
"""
import importlib
import io
import json
import os
import statistics
import subprocess
import sys
import time

# what slows a peer, and what spares it fresh pages for every result
SLOW = "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"
FAST = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "4294967296"}

BUILD = sys.argv[1]
FOLDER = os.path.join(BUILD, "bench")
BENCH = os.path.join(FOLDER, "bench")
NUMBERS = os.path.join(FOLDER, "numbers-512.json")
KEYS = "embeddings", "W_Q", "W_K", "W_V"
VIRIDIS = "viridis"


class Missing(Exception):
    """A module that cannot be imported."""


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise Missing(name) from e


# ---- the work: functions that prepare a call ----


def random(*shape):
    np = load("numpy")
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def torch_with(threads):
    torch = load("torch")
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    return torch


def torch_product(threads, transposed):
    torch = torch_with(threads)
    a, b, c = (torch.from_numpy(random(m, n)) for m, n in ((512, 768), (768, 768), (512, 768)))
    b = b.T if transposed else b
    return lambda: torch.mm(a, b, out=c)


def numpy_product():
    np = load("numpy")
    a, b, c = random(512, 768), random(768, 768), random(512, 768)
    return lambda: np.matmul(a, b, out=c)


def torch_layer(n, threads):
    torch = torch_with(threads)
    mha = torch.nn.MultiheadAttention(768, 12, bias=False, batch_first=True).eval()
    x = torch.from_numpy(random(1, n, 768))
    return lambda: mha(x, x, x, need_weights=True, average_attn_weights=False)


def torch_fused(n, threads):
    torch = torch_with(threads)
    f = torch.nn.functional
    x, wide, out = (torch.from_numpy(random(*s)) for s in ((1, n, 768), (3 * 768, 768), (768, 768)))

    def run():
        q, k, v = f.linear(x, wide).view(1, n, 3, 12, 64).permute(2, 0, 3, 1, 4)
        return f.linear(f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(1, n, 768), out)

    return run


def torch_heads(threads):
    torch = torch_with(threads)
    q, k = torch.from_numpy(random(144, 16, 64)), torch.from_numpy(random(144, 16, 64)).transpose(1, 2)

    def run():
        a = torch.softmax(torch.bmm(q, k) * 0.125, -1)
        return a, a.sum(2), a.sum(1)

    return run


def torch_blocks(n, threads):
    torch = torch_with(threads)
    q, k = torch.from_numpy(random(n, 64)), torch.from_numpy(random(n, 64)).T
    block = 64  # rows: the fastest of 16 to 256, and faster than the entropy by its definition
    scores, alpha = torch.empty(block, n), torch.empty(block, n)

    def run():
        rows, cols, scaled = torch.empty(n), torch.zeros(n), q * 0.125
        entropy, argmax = torch.empty(n), torch.empty(n, dtype=torch.long)
        for i in range(0, n, block):
            at = slice(i, i + block)
            torch.mm(scaled[at], k, out=scores)
            torch.softmax(scores, -1, out=alpha)
            torch.sum(alpha, 1, out=rows[at])
            cols += alpha.sum(0)
            entropy[at] = torch.logsumexp(scores, 1) - torch.linalg.vecdot(alpha, scores)
            torch.argmax(alpha, 1, out=argmax[at])

    return run


def read_simdjson(path):
    np, parser = load("numpy"), load("simdjson").Parser()

    def run():
        doc = parser.load(path)
        return {k: np.frombuffer(doc[k].as_buffer(of_type="d")).astype(np.float32) for k in KEYS}

    return run


def read_lists(module, path):
    np, loads = load("numpy"), load(module).loads

    def run():
        with open(path, "rb") as f:
            doc = loads(f.read())
        return {k: np.array(doc[k], np.float32) for k in KEYS}

    return run


def our_alpha():
    """The alpha that the rows of writing write, (12, 512, 512)."""
    np = load("numpy")
    path = os.path.join(FOLDER, "layer-512.json")
    with open(path, "wb") as f:
        subprocess.run([BENCH, "--document", "layer-512"], stdout=f, check=True)
    text = subprocess.run([os.path.join(BUILD, "qkv"), "attend", path, "-f", "json"], stdout=subprocess.PIPE, check=True)
    return np.array([h["alpha"] for h in json.loads(text.stdout)["heads"]], np.float32)


def write_orjson():
    orjson, alpha = load("orjson"), our_alpha()
    return lambda: orjson.dumps({"alpha": alpha}, option=orjson.OPT_SERIALIZE_NUMPY)


def write_polars():
    pl, np = load("polars"), load("numpy")
    alpha = our_alpha().reshape(12 * 512, 512)
    frame = pl.DataFrame({"head": np.repeat(np.arange(12), 512), "query": np.tile(np.arange(512), 12)}).hstack(
        pl.DataFrame(alpha, schema=["token %d" % i for i in range(512)]))

    def run():
        out = io.BytesIO()
        frame.with_columns(pl.Series("row_sum", alpha.sum(1))).write_csv(out)
        return out

    return run


def coloured(cv2, a):
    return cv2.applyColorMap(cv2.convertScaleAbs(a, alpha=255 / a.max()), cv2.COLORMAP_VIRIDIS)


def paint_opencv():
    cv2, alpha = load("cv2"), our_alpha()
    settings = [cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_RLE]
    return lambda: [cv2.imencode(".png", coloured(cv2, a), settings)[1] for a in alpha]


def paint_fpng():
    cv2, fpng, alpha = load("cv2"), load("fpng_py"), our_alpha()
    return lambda: [fpng.fpng_encode_image_to_memory(coloured(cv2, a).tobytes(), 512, 512, 3) for a in alpha]


def pyplot():
    load("matplotlib").use("Agg")
    return load("matplotlib.pyplot")


def paint_pyplot():
    plt, alpha = pyplot(), our_alpha()

    def paint(a):
        out = io.BytesIO()
        plt.imsave(out, a, cmap=VIRIDIS, format="png")
        return out.getvalue()

    return lambda: [paint(a) for a in alpha]


def paint_labels():
    plt, alpha = pyplot(), random(128, 128)
    labels = ["token %d" % i for i in range(128)]

    def run():
        figure, axes = plt.subplots(figsize=(12, 10))
        figure.colorbar(axes.imshow(alpha, cmap=VIRIDIS))
        axes.set_xticks(range(128), labels, rotation=90, fontsize=5)
        axes.set_yticks(range(128), labels, fontsize=5)
        figure.savefig(io.BytesIO(), format="png")
        plt.close(figure)

    return run


def paint_grid():
    plt, alpha = pyplot(), random(12, 12, 128, 128)

    def run():
        figure, axes = plt.subplots(12, 12, figsize=(24, 24))
        for row, heads in zip(axes, alpha):
            for a, head in zip(row, heads):
                a.imshow(head, cmap=VIRIDIS)
                a.axis("off")
        figure.savefig(io.BytesIO(), format="png")
        plt.close(figure)

    return run


# ---- whole programs, which this file is too: peers.py BUILD --run NAME ----


def heads_of(read, softmax):
    x, q, k, _ = (a.reshape(-1, 768) for a in read().values())
    q, k = x @ q, x @ k
    for h in range(12):
        part = slice(64 * h, 64 * h + 64)
        yield h, softmax(q[:, part] @ k[:, part].T / 8)


def program_fast():
    cv2, np = load("cv2"), load("numpy")

    def softmax(s):
        e = np.exp(s - s.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    for h, a in heads_of(read_simdjson(NUMBERS), softmax):
        settings = [cv2.IMWRITE_PNG_COMPRESSION, 1]
        cv2.imwrite(os.path.join(FOLDER, "peer%02d.png" % h), coloured(cv2, a), settings)


def program_usual():
    torch, plt = load("torch"), pyplot()
    with open(NUMBERS, "rb") as f:
        doc = json.load(f)
    arrays = {k: torch.tensor(doc[k]) for k in KEYS}
    for h, a in heads_of(lambda: arrays, lambda s: torch.softmax(s, -1)):
        plt.imsave(os.path.join(FOLDER, "peer%02d.png" % h), a.numpy(), cmap=VIRIDIS)


PROGRAMS = {"fast": program_fast, "usual": program_usual}


def program(name, *needs):
    for module in needs:
        load(module)
    return lambda: subprocess.run([sys.executable, __file__, BUILD, "--run", name], check=True)


# ---- the comparison ----


def comparisons(processors):
    python = os.path.join(FOLDER, "python-512.json")
    isa = subprocess.run([os.path.join(BUILD, "qkv"), "--version"], stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    for threads in sorted({1, processors}):
        yield f"product/{isa}/in_out/{threads}", "PyTorch", lambda t=threads: torch_product(t, False)
    yield f"product/{isa}/in_out/{processors}", "NumPy", numpy_product
    yield f"product/{isa}/out_in/1", "PyTorch", lambda: torch_product(1, True)
    for threads in sorted({1, processors}):
        for n in 128, 512, 2048:
            yield f"layer/{n}/output/{threads}", "PyTorch", lambda n=n, t=threads: torch_layer(n, t)
            yield f"layer/{n}/output/{threads}", "PyTorch, no alpha", lambda n=n, t=threads: torch_fused(n, t)
        for n in 512, 2048:
            yield f"layer/{n}/alpha/{threads}", "PyTorch", lambda n=n, t=threads: torch_layer(n, t)
    yield "heads/144x16/1", "PyTorch", lambda: torch_heads(1)
    for name, path in ("decimals", NUMBERS), ("python", python):
        for threads in sorted({1, processors}):
            yield f"read/{name}/{isa}/{threads}", "simdjson, NumPy", lambda p=path: read_simdjson(p)
        for other in sorted({"avx2", "portable"} - {isa} if isa.startswith("avx") else {"portable"} - {isa}):
            yield f"read/{name}/{other}/1", "simdjson, NumPy", lambda p=path: read_simdjson(p)
    yield f"read/decimals/{isa}/1", "orjson, NumPy", lambda: read_lists("orjson", NUMBERS)
    yield f"read/decimals/{isa}/1", "json, NumPy", lambda: read_lists("json", NUMBERS)
    for threads in sorted({1, processors}):
        yield f"write/{isa}/json/{threads}", "orjson", write_orjson
        yield f"write/{isa}/csv/{threads}", "polars", write_polars
    for threads in sorted({1, processors}):
        yield f"picture/bare/{threads}", "OpenCV", paint_opencv
        yield f"picture/bare/{threads}", "OpenCV, fpng", paint_fpng
    yield "picture/bare/1", "matplotlib", paint_pyplot
    yield "picture/labelled", "matplotlib, warm", paint_labels
    yield "picture/grid", "matplotlib, warm, without labels", paint_grid
    yield "command/pictures", "simdjson, OpenCV", lambda: program("fast", "numpy", "simdjson", "cv2")
    yield "command/pictures", "json, PyTorch, matplotlib", lambda: program("usual", "torch", "matplotlib")
    yield "scale/16384/1", "PyTorch by blocks", lambda: torch_blocks(16384, 1)


class Ours:
    """A row of the benchmark that runs when told."""

    def __init__(self, row):
        environ = {k: v for k, v in os.environ.items() if k not in FAST}
        self.process = subprocess.Popen(
            [BENCH, "--serve", row], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)
        if self.process.stdout.readline() != "ready\n":
            sys.exit("peers.py: the benchmark has no row " + row)

    def seconds(self, times):
        self.process.stdin.write("%d\n" % times)
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds(call, times):
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def alternate(ours, call):
    """Times of both, round by round, about two seconds together, at least three rounds; bytes of the peer's files."""
    result = call()
    once = ours.seconds(1), seconds(call, 1)
    times = [max(1, int(0.02 / t)) for t in once]  # long enough for threads to be awake
    rounds = min(max(int(2 / (once[0] * times[0] + once[1] * times[1])), 3), 25)
    pairs = []
    for _ in range(rounds):
        a = ours.seconds(times[0])
        b = seconds(call, times[1])
        time.sleep(0.02)  # threads of the peer that turn while they wait for more work come to rest
        pairs.append((a, b))
    return pairs, sum(map(len, result)) if isinstance(result, list) else 0


def main():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    as_json = "--json" in sys.argv
    found, skipped = [], {}
    if not as_json:
        print("%-24s %12s   %-26s %12s  %s" % ("stage", "qkv", "peer", "peer", "times as fast"))
    for row, peer, prepare in comparisons(len(os.sched_getaffinity(0))):
        if not row.startswith(only):
            continue
        ours = Ours(row)
        try:
            pairs, size = alternate(ours, prepare())
        except Missing as e:
            skipped.setdefault(str(e), []).append(row)
            continue
        finally:
            ours.close()
        ratios = sorted(b / a for a, b in pairs)
        a, b = (statistics.median(t) for t in zip(*pairs))
        found.append({"name": row, "peer": peer, "seconds": a, "peer_seconds": b,
                      "ratio": statistics.median(ratios), "min": ratios[0], "max": ratios[-1], "peer_bytes": size})
        if not as_json:
            print("%-24s %9.2f ms   %-26s %9.2f ms  %6.2f  (%.2f - %.2f)%s" % (
                row, a * 1e3, peer, b * 1e3, found[-1]["ratio"], ratios[0], ratios[-1],
                "  its files: %d KB" % (size / 1000) if size else ""), flush=True)
    if as_json:
        print(json.dumps({"comparisons": found, "skipped": sorted(skipped)}))
    else:
        for module, rows in sorted(skipped.items()):
            print("skipped: %s cannot be imported: %s" % (module, ", ".join(rows)))


if __name__ == "__main__":
    if "--run" in sys.argv:
        PROGRAMS[sys.argv[-1]]()
    elif any(k in os.environ for k in SLOW) or any(os.environ.get(k) != v for k, v in FAST.items()):
        # they are read when a process starts
        environment = {k: v for k, v in os.environ.items() if k not in SLOW} | FAST
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    else:
        main()
