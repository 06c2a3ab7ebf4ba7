"""Writes attention_cases.txt: attention and its gradients as PyTorch computes them in double precision.

One tensor a line: case, name, rank, extents, entries in row-major order. Run by hand; the tests read
only the text. Written with PyTorch 1.13.0.
"""
import pathlib

import torch

torch.manual_seed(20)
CASES = {
    # name: (leading axes, n_q, n_k, d_k, d_v, scale, mask, factor on q that saturates)
    "plain": ((), 3, 3, 2, 2, 2 ** -0.5, None, 1),
    "one": ((), 1, 1, 1, 1, 1.0, None, 1),
    "wide": ((), 5, 7, 16, 3, 0.25, None, 1),
    "stack": ((2,), 4, 6, 5, 3, 5 ** -0.5, None, 1),
    "heads": ((2, 2), 3, 4, 5, 2, 0.2, None, 1),
    "saturated": ((2,), 4, 6, 64, 3, 1.0, None, 2),
    "causal": ((2,), 5, 5, 4, 3, 0.5, "causal", 1),
    "causal_more_keys": ((), 3, 6, 4, 3, 0.5, "causal", 1),
    "causal_more_queries": ((), 6, 3, 4, 3, 0.5, "causal", 1),
    "dense": ((2,), 4, 5, 3, 2, 1.0, "dense", 1),
}


def visible(kind, lead, n_q, n_k):
    if kind == "causal":
        return torch.ones(n_q, n_k, dtype=torch.bool).tril().expand(*lead, n_q, n_k)
    mask = torch.rand(*lead, n_q, n_k) < 0.6
    mask[..., 0] = True  # every query sees a key: PyTorch gives NaN otherwise
    return mask


with open(pathlib.Path(__file__).with_name("attention_cases.txt"), "w") as out:
    for case, (lead, n_q, n_k, d_k, d_v, scale, kind, factor) in CASES.items():
        q = (factor * torch.randn(*lead, n_q, d_k, dtype=torch.float64)).requires_grad_()
        k = torch.randn(*lead, n_k, d_k, dtype=torch.float64, requires_grad=True)
        v = torch.randn(*lead, n_k, d_v, dtype=torch.float64, requires_grad=True)
        s = q @ k.transpose(-2, -1)
        z = s * scale
        if kind:
            mask = visible(kind, lead, n_q, n_k)
            z = z.masked_fill(~mask, float("-inf"))
        a = torch.softmax(z, dim=-1)
        o = a @ v
        for t in (s, a):
            t.retain_grad()
        g = torch.randn_like(o)
        o.backward(g)
        tensors = dict(queries=q, keys=k, values=v, d_output=g, weights=a, output=o,
                       d_queries=q.grad, d_keys=k.grad, d_values=v.grad, d_scores=s.grad)
        if kind:
            tensors["mask"] = mask.double()
        tensors["scale"] = torch.tensor([scale], dtype=torch.float64)
        for name, t in tensors.items():
            t = t.detach()
            numbers = " ".join(repr(x) for x in t.reshape(-1).tolist())
            print(case, name, t.dim(), *t.shape, numbers, file=out)
