"""Write tests/conformance/array_api_users.tsv: what of scikit-learn and SciPy takes Atoll's arrays.

Usage: python scripts/array_api_users.py, by hand, with scikit-learn installed beside the package.
Each row is a call under `array_api_dispatch`, compared with the same of NumPy's arrays; the page
docs/array-api.md has the table (scripts/array_api_table.py).
"""

from __future__ import annotations

import os
import textwrap
import warnings
from pathlib import Path
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"  # which SciPy reads when it is imported

import atoll
import numpy as np

PAGE = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "array_api_users.tsv"
LEARN = """StandardScaler().fit_transform(X) | MinMaxScaler().fit_transform(X)
MaxAbsScaler().fit_transform(X) | Normalizer().fit_transform(X) | Binarizer().fit_transform(X)
PolynomialFeatures(2).fit_transform(X) | LabelEncoder().fit_transform(y)
PCA(2, svd_solver="full").fit_transform(X) | PCA(2, svd_solver="covariance_eigh").fit_transform(X)
Ridge(solver="svd").fit(X, t).predict(X) | GaussianNB().fit(X, y).predict(X)
LinearDiscriminantAnalysis().fit(X, y).predict(X) | mean_squared_error(t, t + 1)
mean_absolute_error(t, t + 1) | r2_score(t, t + 1) | accuracy_score(y, y)
cosine_similarity(X) | euclidean_distances(X) | rbf_kernel(X) | polynomial_kernel(X)"""
SCIPY = """special.expit(X) | special.logsumexp(X, axis=0) | special.softmax(X, axis=1)
special.erf(X) | special.xlogy(X, X) | stats.zscore(X) | stats.pearsonr(t, t * t).statistic
stats.skew(X) | stats.kurtosis(X) | stats.gmean(X) | stats.hmean(X) | stats.moment(X, 2)
stats.entropy(X) | stats.ttest_1samp(X, 0.5).statistic | fft.fft(X) | fft.rfft(X) | fft.fftn(X)
integrate.trapezoid(X, axis=0) | integrate.simpson(X, axis=0) | cluster.vq.whiten(X)
signal.detrend(X, axis=0)"""


def calls(text: str) -> list[str]:
    """Give the calls of a list."""
    return [call.strip() for line in text.splitlines() for call in line.split("|")]


def outcome(call: str, names: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Make a call with Atoll's arrays; tell whether it gives what it does with NumPy's."""
    expected = eval(call, {**names, **theirs})
    try:
        made = eval(call, {**names, **mine})
    except Exception as error:
        text = str(error).split("; ")[0].splitlines()[0]
        return f"{type(error).__name__}: {textwrap.shorten(text, 70, placeholder=' ...')}"
    kind = "an array" if isinstance(made, atoll.Array) else "a number or NumPy array"
    values = made[...] if isinstance(made, atoll.Array) else made
    right = np.allclose(np.abs(values), np.abs(expected))  # signs of singular vectors are free
    return f"right, {kind}" if right else "wrong"


def main() -> None:
    """Write the rows."""
    import scipy
    import scipy.cluster.vq
    import scipy.fft
    import scipy.integrate
    import scipy.signal
    import scipy.special
    import scipy.stats
    import sklearn
    from sklearn import (
        decomposition,
        discriminant_analysis,
        linear_model,
        metrics,
        naive_bayes,
        preprocessing,
    )

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    x = rng.random((200, 5))
    theirs = {"X": x, "y": (x.sum(axis=1) > 2.5).astype(np.int64), "t": x @ np.arange(5.0)}
    mine = {name: atoll.from_numpy(values) for name, values in theirs.items()}
    names: dict[str, Any] = {}
    for room in (
        *(decomposition, discriminant_analysis, linear_model, naive_bayes, preprocessing),
        *(metrics, metrics.pairwise),
    ):
        names |= {name: getattr(room, name) for name in room.__dict__ if name[0] != "_"}
    rows = ["package\tcall\toutcome"]
    with sklearn.config_context(array_api_dispatch=True):
        for call in calls(LEARN):
            told = outcome(call, names, mine, theirs)
            rows.append(f"scikit-learn {sklearn.__version__}\t{call}\t{told}")
    rooms = ("special", "stats", "fft", "integrate", "cluster", "signal")
    names = {name: getattr(scipy, name) for name in rooms}
    for call in calls(SCIPY):
        rows.append(f"SciPy {scipy.__version__}\t{call}\t{outcome(call, names, mine, theirs)}")
    if atoll.rank() == 0:
        PAGE.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
