-- Episodes keep the request of their reset: those of modes that were removed are computed as they were, but no new one is accepted.
create function checked_reward(request jsonb, stored boolean default false) returns jsonb language plpgsql immutable as $$
declare
  modes constant text[] := '{delta_prev,final,best}';
  removed constant jsonb := '{
    "delta_best": "best, which pays the same sum at the end",
    "each": "delta_prev: each paid again for a file that had not changed",
    "tier": "best with tiers"
  }';
  keys constant text[] := '{mode,unit,scale,offset,error_penalty,clip,format_penalty,no_valid_penalty,tiers,percentile,window,warm_up,reward_batch_size}';
  mode constant text := coalesce(request ->> 'mode', 'delta_prev');
  wrong text;
begin
  if removed ? mode and not stored then
    raise exception 'there is no reward mode % any more', mode using hint = 'Use ' || (removed ->> mode) || '.';
  end if;
  if mode <> all (modes) and not removed ? mode then
    raise exception 'there is no reward mode %', mode
      using hint = 'There are ' || array_to_string(modes, ', ') || '.';
  end if;
  select k into wrong from jsonb_object_keys(request) k where k <> all (keys) order by k limit 1;
  if found then
    raise exception 'a reward has no key %', wrong using hint = 'It has ' || array_to_string(keys, ', ') || '.';
  end if;
  if not stored and (
    (request ->> 'scale')::double precision < 0 or (request ->> 'offset')::double precision > 0
    or (request #>> '{clip,0}')::double precision > 0 or (request #>> '{clip,1}')::double precision < 0
  ) then
    raise exception 'this reward pays an unchanged submission'
      using hint = 'scale is at least 0, offset at most 0, and clip has 0 within it.';
  end if;
  return request || jsonb_build_object('mode', mode);
end
$$;

comment on function checked_reward is 'The reward with its mode; refuses unknown or removed ones (stored: unknown ones).';
