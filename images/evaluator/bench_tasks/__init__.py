"""What a task's own Python is written with: `evaluator/referee.py` and `prepare.py`.

A referee defines `evaluate(subject)`, which returns the task's metrics as {name: finite number}.
What the subject is depends on `evaluator.kind` in task.yaml:

- `games`: `Table`, for kind `game`; moves are `Choices` or `Integers`.
- `questions`: `Player`, for kind `questions`; on top of it `language_model` (the loss of a language
  model) and `rollouts` (episodes of a policy).
- `files`: `Files`, for the kinds `data` and `program`, with the columns `Integer`, `Number` and
  `Text`; `arrays` reads .npy, .npz and safetensors; `bleu` scores captions.
- `rejected`: `Rejected`, to be raised where the submission is at fault. Any other exception is the
  referee's own, and is shown to the task's author with its last line.
- `hidden_random`: `HiddenRandom`, the type of every `rng`.

A prepare.py defines `prepare(data)`:

- `prepare`: `Data`, what it is given.
- `images`, `debian`, `r_data`: read and write the files that data sets come in.

What these are made of: `channel`, `strict_json`, `cpu_time`, `fair_clock`, `order`.

Needs Python 3.9 and its standard library; where NumPy is installed, some of it is faster.
"""
