"""Tokens, money and seconds add up by hand-computed values; the budget stops before a call."""

import json

import pytest

from journeyman.core.errors import BudgetReached, ConfigError, RunError
from journeyman.core.messages import Completion, ModelCall, Usage, user
from journeyman.methods.elite.replies import CoarsePlanReply
from journeyman.models.ledger import Budget, Ledger, Price, Prices, Repeated, RoleCost, Tally
from journeyman.models.roles import ModelRoles
from tests.support.fake_server import ScriptedModel


def call(role="plan", model="m", prompt=100, completion=20, cached=0, seconds=0.5, attempt=0):
    usage = Usage(prompt, completion, cached)
    reply = Completion("x", usage=usage, model=model, seconds=seconds)
    return ModelCall(role, (user("x"),), reply, attempt)


def recorded(*calls, prices=None, budget=None):
    ledger = Ledger(prices, budget)
    for one in calls:
        ledger.record(one)
    return ledger


def test_calls_add_up_by_role_and_model():
    ledger = recorded(
        call(), call(attempt=1), call("distil", prompt=10, cached=4), call(model="n", seconds=2.0)
    )
    assert ledger.by_role_and_model == {
        ("plan", "m"): Tally(2, 200, 40, 0, 1.0),
        ("distil", "m"): Tally(1, 10, 20, 4, 0.5),
        ("plan", "n"): Tally(1, 100, 20, 0, 2.0),
    }
    assert ledger.total == Tally(4, 310, 80, 4, 3.5)


def test_costs_add_up_by_role_and_have_no_price_where_one_model_has_none():
    prices = Prices({"m": Price(1e6, 1e6, 0.0), "n": Price(2e6, 0.0, 0.0)})
    calls = [call(), call("distil", model="o"), call(model="n", prompt=50, completion=5)]
    assert recorded(*calls, call("distil", cached=4), prices=prices).by_role == (
        RoleCost("plan", 2, Usage(150, 25, 0), 1.0, 100 + 20 + 2 * 50),
        RoleCost("distil", 2, Usage(200, 40, 4), 1.0, None),
    )
    assert recorded().by_role == ()


def test_money_counts_cached_tokens_once_and_at_their_own_price():
    prices = Prices({"m": Price(prompt=2.0, completion=10.0, cached=0.5)})
    ledger = recorded(call(prompt=1_000_000, completion=100_000, cached=400_000), prices=prices)
    assert ledger.usd == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.1 * 10.0)
    assert ledger.unpriced == ()


def test_a_model_without_a_price_is_named_and_never_free():
    ledger = recorded(call(model="a"), call(model="b"), prices=Prices({"a": Price(1, 1, 1)}))
    assert ledger.unpriced == ("b",)
    assert ledger.usd == pytest.approx(120 / 1_000_000)


def test_a_price_table_is_read_from_toml_and_cached_defaults_to_in(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text('["gpt-4o"]\nin = 2.5\nout = 10\ncached = 1.25\n["Qwen/Q"]\nin = 1\nout = 2\n')
    prices = Prices.read(path)
    assert prices.of("gpt-4o") == Price(2.5, 10.0, 1.25)
    assert prices.of("Qwen/Q") == Price(1.0, 2.0, 1.0)


@pytest.mark.parametrize(
    "name", ["gpt-4o", "openai/gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-20240806"]
)
def test_prefix_and_final_date_do_not_hide_a_price(name):
    assert Prices({"gpt-4o": Price(1, 2, 3)}).of(name) == Price(1, 2, 3)


def test_a_longer_name_is_another_model():
    assert Prices({"gpt-4o": Price(1, 2, 3)}).of("gpt-4o-mini") is None


@pytest.mark.parametrize(
    "text",
    [
        "[m]\nin = 1\n",
        "[m]\nin = 1\nout = -2\n",
        "[m]\nin = 1\nout = nan\n",
        "[m]\nin = true\nout = 2\n",
        '[m]\nin = "1"\nout = 2\n',
        "[m]\nin = 1\nout = 2\ncache = 1\n",
        "m = 3\n",
    ],
)
def test_a_wrong_price_entry_is_refused_by_name(tmp_path, text):
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match='entry "m"'):
        Prices.read(path)


def test_a_missing_or_broken_price_table_is_refused_with_its_path(tmp_path):
    path = tmp_path / "prices.toml"
    with pytest.raises(ConfigError, match=r"prices\.toml cannot be read"):
        Prices.read(path)
    path.write_text("[m")
    with pytest.raises(ConfigError, match=r"prices\.toml cannot be read"):
        Prices.read(path)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(tokens=240), "240 of 240 tokens in 2 calls"),
        (Budget(seconds=1.0), "1 of 1 seconds"),
        (Budget(usd=0.24), "0.24 of 0.24 US dollars"),
    ],
)
def test_each_limit_stops_before_the_call_that_would_start_over_it(budget, words):
    prices = Prices({"m": Price(1000, 1000, 1000)})
    ledger = recorded(call(), prices=prices, budget=budget)
    ledger.check()
    ledger.record(call())
    with pytest.raises(BudgetReached, match=words):
        ledger.check()


def test_without_limits_nothing_stops():
    recorded(*[call(prompt=10**9, seconds=10**6)] * 3).check()


def test_a_limit_in_dollars_without_a_price_stops_and_says_what_is_missing():
    with pytest.raises(BudgetReached, match="these models have no price: m") as caught:
        recorded(call(), budget=Budget(usd=5.0)).check()
    assert "price table" in caught.value.hint


def test_a_limit_in_tokens_with_a_server_that_counts_none_stops_and_says_so():
    with pytest.raises(BudgetReached, match="these models report no tokens: m"):
        recorded(call(prompt=0, completion=0), budget=Budget(tokens=5)).check()
    recorded(call(prompt=0, completion=0), budget=Budget(seconds=5)).check()


@pytest.mark.parametrize("limits", [{"tokens": -1}, {"usd": -0.1}, {"seconds": -1}])
def test_a_limit_below_zero_is_refused_by_name(limits):
    with pytest.raises(ConfigError, match=f"budget {next(iter(limits))}"):
        Budget(**limits)


def test_a_restored_ledger_goes_on_where_the_recorded_one_stopped():
    before = recorded(call(), call("distil", cached=7), call(model="n"))
    budget = Budget(tokens=361)
    after = Ledger(budget=budget)
    after.restore(json.loads(json.dumps(before.snapshot())))
    assert after.by_role_and_model == before.by_role_and_model
    after.check()
    after.record(call(prompt=1, completion=0))
    with pytest.raises(BudgetReached, match="361 of 361 tokens in 4 calls"):
        after.check()


@pytest.mark.parametrize(
    "row", [{"role": "plan"}, {"role": "plan", "model": "m", "turns": 3}, {"role": 1, "calls": "x"}]
)
def test_damaged_totals_are_refused(row):
    with pytest.raises(RunError, match="recorded totals are damaged"):
        Ledger().restore([row])


def test_a_ledger_as_listener_and_gate_ends_asking():
    model = ScriptedModel(Completion('{"coarse_plan": ["a"]}', usage=Usage(8, 2), model="m"))
    ledger = Ledger(budget=Budget(tokens=20))
    roles = ModelRoles(model)
    roles.listen(ledger.record)
    roles.gate = ledger.check
    for _ in range(2):
        roles.ask("plan", [user("x")], CoarsePlanReply)
    with pytest.raises(BudgetReached, match="20 of 20 tokens"):
        roles.ask("plan", [user("x")], CoarsePlanReply)
    assert len(model.asked) == 2


def repeated(model="m", prompt=100, completion=20, cached=0):
    reply = Repeated("x", usage=Usage(prompt, completion, cached), model=model)
    return ModelCall("plan", (user("x"),), reply)


def test_a_repeated_reply_counts_as_usage_and_is_not_paid_again():
    prices = Prices({"m": Price(prompt=1.0, completion=10.0, cached=0.5)})
    ledger = recorded(call(), repeated(cached=40), prices=prices)
    assert ledger.total == Tally(2, 200, 40, 40, 0.5, 1, 100, 20, 40)
    assert ledger.total.paid == Usage(100, 20, 0)
    assert ledger.usd == pytest.approx((100 * 1.0 + 20 * 10.0) / 1_000_000)


def test_repeated_replies_do_not_use_up_a_budget_nor_make_it_impossible_to_keep():
    limit = Budget(tokens=240, usd=1.0)
    free = repeated(prompt=0, completion=500)
    recorded(free, repeated(model="unpriced"), budget=limit).check()
    prices = Prices({"m": Price(1.0, 1.0, 1.0)})
    recorded(call(), free, prices=prices, budget=limit).check()
    with pytest.raises(BudgetReached, match=r"240 of 240 tokens in 2 calls"):
        recorded(call(), free, call(), prices=prices, budget=limit).check()


def test_a_resumed_ledger_still_knows_what_was_paid():
    ledger = recorded(call(), repeated())
    again = Ledger()
    again.restore(json.loads(json.dumps(ledger.snapshot())))
    assert again.total == ledger.total
    assert again.total.paid == Usage(100, 20, 0)


def test_a_snapshot_without_repeated_replies_has_no_word_of_them():
    [row] = recorded(call()).snapshot()
    assert list(row) == [
        "role",
        "model",
        "calls",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "seconds",
    ]
