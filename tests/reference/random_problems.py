"""Random problems of every form of the input, each stage held against attention.py; prints the totals."""
import base64
import json
import math
import subprocess
import sys

import attention
import numpy as np

rng = np.random.default_rng(2026)
STAGES = ["q", "k", "v", "scores", "scaled", "masked", "alpha", "context", "output"]


def tensor(a):
    """Nested arrays in one of several notations, or base64 in one of the types that hold the same float32."""
    a = np.asarray(a, np.float32)
    kind = rng.integers(4)
    if kind == 0:
        dtype, wire = [("float32", "<f4"), ("float64", "<f8"), ("torch.float32", "<f4")][rng.integers(3)]
        return {"shape": list(a.shape), "dtype": dtype, "data": base64.b64encode(a.astype(wire).tobytes()).decode()}
    if kind == 1:
        return np.round(a.astype(float), 3).tolist()
    return a.astype(float).tolist()


def normal(*shape, spread=1.0):
    return rng.normal(0, spread, shape)


def mask(doc, heads, n, m):
    kind = rng.integers(8)
    if kind == 1:
        doc["mask"] = "causal" if n == m else "causal-end"
    elif kind == 2:
        doc["mask"] = "causal-start"
    elif kind == 3 and n == m:
        doc["mask"] = "window:%d,%d" % tuple(rng.integers(0, n + 1, 2))
    elif kind == 4:
        doc["mask"] = (rng.random((n, m)) < 0.7).astype(int).tolist()
    elif kind == 5:
        doc["mask"] = [[[bool(x) for x in row] for row in head] for head in rng.random((heads, n, m)) < 0.7]
    if rng.random() < 0.3:
        doc["key_mask"] = (rng.random(m) < 0.8).astype(int).tolist()


def bias(doc, heads, n, m):
    if rng.random() < 0.3:
        b = np.round(normal(*([heads] if rng.random() < 0.5 else []), n, m), 3).tolist()
        row = b[0] if isinstance(b[0][0], float) else b[0][0]
        row[rng.integers(m)] = "-inf"
        doc["bias"] = b


def weights(doc, n, m, heads, kv):
    d, d_k, d_v = rng.integers(1, 40, 3)
    spread = 1 / math.sqrt(d)
    flip = rng.random() < 0.5
    doc["weight_layout"] = "out_in" if flip else "in_out"
    store = lambda w: tensor(w.T if flip else w)
    doc["embeddings"] = tensor(normal(n, d))
    if n != m or rng.random() < 0.2:
        doc["context"] = {"embeddings": tensor(normal(m, d))}
    form = rng.integers(4)
    if form == 0:
        doc["heads"] = []
        for _ in range(heads):
            h = {"W_" + c: store(normal(d, w, spread=spread)) for c, w in zip("QKV", (d_k, d_k, d_v))}
            h["b_Q"] = tensor(normal(d_k))
            doc["heads"].append(h)
        kv = heads
        doc.pop("num_kv_heads")
    elif form == 1:
        d_v = d_k
        doc["W_QKV"] = store(normal(d, (heads + 2 * kv) * d_k, spread=spread))
        doc["b_QKV"] = tensor(normal((heads + 2 * kv) * d_k))
        if heads == kv and rng.random() < 0.5:
            doc["qkv_layout"] = "per_head"
    else:
        for c, w in zip("QKV", (heads * d_k, kv * d_k, kv * d_v)):
            doc["W_" + c] = store(normal(d, w, spread=spread))
            if rng.random() < 0.5:
                doc["b_" + c] = tensor(normal(w))
    if rng.random() < 0.7:
        out = rng.integers(1, 50)
        doc["W_O"] = store(normal(heads * d_v, out))
        if rng.random() < 0.5:
            doc["b_O"] = tensor(normal(out))
    return kv


def problem():
    heads = int(rng.choice([1, 2, 4, 6]))
    kv = int(rng.choice([k for k in range(1, heads + 1) if heads % k == 0]))
    n, m = (int(x) for x in rng.integers(1, 70, 2))
    if rng.random() < 0.5:
        m = n
    doc = {"num_heads": heads, "num_kv_heads": kv}
    source = rng.integers(4)
    if source == 0:
        d = rng.integers(1, 600)
        doc["Q"], doc["K"] = tensor(normal(heads, n, d)), tensor(normal(kv, m, d))
        if rng.random() < 0.7:
            doc["V"] = tensor(normal(kv, m, rng.integers(1, 30)))
    elif source == 1:
        doc["scores"] = tensor(normal(heads, n, m, spread=5))
        doc["scale"] = float(np.round(normal(), 3))
        doc["V"] = tensor(normal(kv, m, 3))
    elif source == 2:
        doc["alpha"] = tensor(rng.random((heads, n, m)))
        doc["V"] = tensor(normal(kv, m, 3))
        mask(doc, heads, n, m)
        return doc
    else:
        weights(doc, n, m, heads, kv)
    if source != 1 and rng.random() < 0.3:
        doc["scale"] = ["auto", "none", 0.3, -0.5][rng.integers(4)]
    mask(doc, heads, n, m)
    bias(doc, heads, n, m)
    return doc


def collect(got, stage):
    found = [h[stage] for h in got["heads"] if stage in h]
    return np.array(found[0] if stage == "output" else found, dtype=float)


def compare(doc, qkv):
    expected = attention.compute(doc)[0]
    stages = [s for s in STAGES if s in expected and expected[s] is not None]
    run = subprocess.run([qkv, "attend", "-q", "-f", "json", "--stage", ",".join(stages)], input=json.dumps(doc).encode(),
                         capture_output=True)
    if run.returncode:
        return run.stderr.decode().strip()
    got = json.loads(run.stdout)
    steep = max(1.0, np.abs(expected["scaled"]).max()) if "scaled" in expected else 1.0
    for stage in stages + ["row_sums", "col_sums"]:
        e = np.array(expected[stage])
        e[np.isinf(e)] = np.nan
        g = collect(got, stage)
        if g.shape != e.shape or (np.isnan(g) != np.isnan(e)).any():
            return f"{stage}: shape {g.shape}, expected {e.shape}, or nulls elsewhere"
        size = max(1.0, np.nanmax(np.abs(e), initial=0))
        wide = e.shape[-1] if stage == "col_sums" else 1
        tolerance = 1e-6 * (steep if stage in ("alpha", "row_sums") else wide * steep if stage == "col_sums"
                            else 2 * size * (steep if stage in ("context", "output") else 1))
        if stage in ("alpha", "row_sums", "col_sums"):
            tolerance *= size
        off = np.nanmax(np.abs(g - e), initial=0)
        if off > tolerance:
            return f"{stage}: off by {off}, expected {tolerance} at most"
    return None


failed = 0
for number in range(400):
    doc = problem()
    wrong = compare(doc, sys.argv[1])
    if wrong:
        failed += 1
        print(f"problem {number}, {', '.join(doc)}: {wrong}")
print(f"{400 - failed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
