"""A linear model of the price: numbers standardised, categories as 0 and 1. Writes submission.csv."""

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score, root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def read(name):
    # "None" is a category here, not a missing value.
    return pd.read_csv("data/%s.csv" % name, keep_default_na=False, na_values=[""])


train, validation, test = read("train"), read("validation"), read("test")
model = make_pipeline(
    make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    ),
    Ridge(alpha=0.1),
)
features = [column for column in test if column != "Id"]
model.fit(train[features], train["Sale_Price"])
for name, table in (("train", train), ("validation", validation)):
    guess = model.predict(table[features])
    truth = table["Sale_Price"]
    print("%s: r2 %.4f, rmse %.0f" % (name, r2_score(truth, guess), root_mean_squared_error(truth, guess)))
pd.DataFrame({"Id": test["Id"], "Sale_Price": model.predict(test[features])}).to_csv("submission.csv", index=False)
