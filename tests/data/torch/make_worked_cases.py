"""Writes worked_cases.txt: 20 random attention problems and their gradients as PyTorch computes them in double.

Shapes, masks (rows that see nothing included) and scales are drawn. A line is: case, name, rows, columns, entries in
row-major order; or: case, "scale", the word. Run by hand; the tests read only the text. Written with PyTorch 1.13.0.
"""
import pathlib

import torch

torch.manual_seed(31)
SCALES = {"none": lambda d: 1.0, "inv_sqrt_dk": lambda d: d ** -0.5, "inv_dk": lambda d: 1.0 / d,
          "-0.75": lambda d: -0.75, "3": lambda d: 3.0}


def draw(low, high):
    return int(torch.randint(low, high + 1, ()))


with open(pathlib.Path(__file__).with_name("worked_cases.txt"), "w") as out:
    for number in range(20):
        n_q, n_k, d_k, d_v = draw(1, 9), draw(1, 9), draw(1, 12), draw(1, 5)
        q = torch.randn(n_q, d_k, dtype=torch.float64, requires_grad=True)
        k = torch.randn(n_k, d_k, dtype=torch.float64, requires_grad=True)
        v = torch.randn(n_k, d_v, dtype=torch.float64, requires_grad=True)
        g = torch.randn(n_q, d_v, dtype=torch.float64)
        scale, factor = list(SCALES.items())[number % 5]
        causal, dense = number % 4 in (1, 3), number % 4 in (2, 3)
        mask = torch.rand(n_q, n_k) < 0.6
        seen = torch.ones(n_q, n_k, dtype=torch.bool)
        seen = seen & mask if dense else seen
        seen = seen.tril() if causal else seen
        some = seen.any(-1, keepdim=True)  # softmax over nothing would be NaN: such rows are zero
        s = q @ k.T
        z = s * factor(d_k)
        a = torch.softmax(z.masked_fill(~seen & some, float("-inf")), -1).masked_fill(~some, 0)
        o = a @ v
        for t in (s, z, a):
            t.retain_grad()
        o.backward(g)
        tensors = dict(queries=q, keys=k, values=v, d_output=g, scores=s, scaled=z, weights=a, output=o,
                       d_queries=q.grad, d_keys=k.grad, d_values=v.grad, d_scores=s.grad, d_scaled=z.grad,
                       d_weights=a.grad.masked_fill(~seen, 0))
        if dense:
            tensors["mask"] = mask.double()
        print(number, "scale", scale, file=out)
        print(number, "causal", 1, 1, int(causal), file=out)
        for name, t in tensors.items():
            print(number, name, *t.shape, *(repr(x) for x in t.detach().reshape(-1).tolist()), file=out)
