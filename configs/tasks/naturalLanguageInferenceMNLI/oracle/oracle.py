"""Looks at both sentences: which words the hypothesis adds, which it leaves out, and both together.

Writes submission.csv.
"""

import re

import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

WORD = re.compile(r"[a-z0-9']+")
MOST = 6
text = {"dtype": {"premise": str, "hypothesis": str}, "keep_default_na": False}


def signs(pair):
    premise, hypothesis = (WORD.findall(sentence.lower()) for sentence in pair)
    had, has = set(premise), set(hypothesis)
    added = [word for word in dict.fromkeys(hypothesis) if word not in had]
    left_out = [word for word in dict.fromkeys(premise) if word not in has]
    found = ["h " + word for word in has]
    found += ["2 {} {}".format(*two) for two in zip(hypothesis, hypothesis[1:])]
    found += ["+ " + word for word in added] + ["- " + word for word in left_out]
    found += [f"+- {new} {old}" for new in added[:MOST] for old in left_out[:MOST]]
    found += [
        f"added {min(len(added), 9)}",
        f"share {10 * len(has & had) // max(len(has), 1)}",
        "bias",
    ]
    if not left_out:
        found.append("nothing left out")
    if not added:
        found.append("nothing added")
    return found


def matrix(table):
    vectorizer = HashingVectorizer(
        analyzer=signs, n_features=2**20, norm="l2", alternate_sign=False, binary=True
    )
    return vectorizer.transform(zip(table["premise"], table["hypothesis"]))


train = pd.read_csv("data/train.csv", **text)
pairs = pd.read_csv("data/pairs.csv", **text)
model = SGDClassifier(
    loss="log_loss", alpha=1e-6, max_iter=20, tol=None, average=True, random_state=1
)
model.fit(matrix(train), train["label"])
pd.DataFrame({"id": pairs["id"], "label": model.predict(matrix(pairs))}).to_csv(
    "submission.csv", index=False
)
