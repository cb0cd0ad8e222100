create function checked_reward(request jsonb) returns jsonb language plpgsql immutable as $$
declare
  modes constant text[] := '{delta_prev,delta_best,each,final,best,tier}';
  keys constant text[] := '{mode,unit,scale,offset,error_penalty,clip,format_penalty,no_valid_penalty,tiers,percentile,window,warm_up,reward_batch_size}';
  mode constant text := coalesce(request ->> 'mode', 'delta_prev');
  wrong text;
begin
  if mode <> all (modes) then
    raise exception 'there is no reward mode %', mode
      using hint = 'There are ' || array_to_string(modes, ', ') || '.';
  end if;
  select k into wrong from jsonb_object_keys(request) k where k <> all (keys) order by k limit 1;
  if found then
    raise exception 'a reward has no key %', wrong using hint = 'It has ' || array_to_string(keys, ', ') || '.';
  end if;
  return request || jsonb_build_object('mode', mode);
end
$$;

comment on function checked_reward is 'The reward that is asked for, with its mode; refuses unknown modes and keys.';
