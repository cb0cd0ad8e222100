-- As attemptGain() in domain/statistics, which resamples; a test compares both.
create function attempt_gain(
  score double precision, direction text, baseline double precision, standard_error double precision, target double precision
) returns double precision language sql immutable as $$
  select case
    when baseline is null or target is null then null
    when direction = 'maximize' then case
      when target <= baseline then null
      when score is null or score <= baseline + 2 * coalesce(standard_error, 0) then 0
      when score >= target then 1
      else (score - baseline) / (target - baseline)
    end
    when target >= baseline then null
    when score is null or score >= baseline - 2 * coalesce(standard_error, 0) then 0
    when score <= target then 1
    else (score - baseline) / (target - baseline)
  end
$$;

comment on function attempt_gain is 'Gain of one attempt: the way from the baseline to the target, 0 to 1; 0 without a score and within two standard errors of the baseline; null: the task has no baseline or no better target.';
