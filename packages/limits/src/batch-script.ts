import { readClock } from './scripts.ts';

/** A decision that many requests wait for, and that one trip takes for many keys. */
export type BatchedScript = 'takeRate' | 'holdSlots';

/**
 * Gives back what an earlier lease left over, then leases tokens of the present bucket. A bucket
 * counts until it is wholly older than the window, so no stretch of a window's length ever holds
 * more than the limit. `need` comes first; `extra` takes at most a tenth of what is left, so the
 * last tokens are given out one by one. Words: limit, need, extra, bucketMs, buckets a window,
 * bucket given back to, tokens given back. Returns tokens, tokens left over, bucket, its remaining
 * ms, ms until the oldest counted bucket leaves.
 */
const takeRate = `
local function takeRate(key, words)
  local limit, need, extra = tonumber(words[2]), tonumber(words[3]), tonumber(words[4])
  local bucketMs, buckets, back = tonumber(words[5]), tonumber(words[6]), tonumber(words[8])
  local bucket = math.floor(now / bucketMs)
  if back > 0 and redis.call('HEXISTS', key, words[7]) == 1 then
    if redis.call('HINCRBY', key, words[7], -back) <= 0 then redis.call('HDEL', key, words[7]) end
  end
  local counts = redis.call('HGETALL', key)
  local used, oldest = 0, bucket
  for i = 1, #counts, 2 do
    local at = tonumber(counts[i])
    if at < bucket - buckets then
      redis.call('HDEL', key, counts[i])
    else
      used = used + tonumber(counts[i + 1])
      if at < oldest then oldest = at end
    end
  end
  local left = math.max(0, limit - used)
  local granted = math.min(need, left)
  granted = granted + math.min(extra, math.floor((left - granted) / 10))
  if granted > 0 then
    redis.call('HINCRBY', key, string.format('%.0f', bucket), granted)
    redis.call('PEXPIRE', key, (buckets + 2) * bucketMs)
  end
  return {granted, left - granted, bucket, (bucket + 1) * bucketMs - now, (oldest + buckets + 1) * bucketMs - now}
end
`;

/**
 * A replica declares what it holds of a subject, and asks for more. Declared, not added: saying it
 * again, after a lost response or a FLUSHALL, makes it right. A holder that is not heard of for
 * leaseMs holds nothing. What this replica keeps idle is its own only while it is on record; what
 * is in use is declared in any case. Words: replica, in use, kept (in use and idle), need, extra,
 * limit, leaseMs. Returns held by this replica, held by others.
 */
const holdSlots = `
local function holdSlots(key, words)
  local replica, inUse, kept, need = words[2], tonumber(words[3]), tonumber(words[4]), tonumber(words[5])
  local extra, limit, leaseMs = tonumber(words[6]), tonumber(words[7]), tonumber(words[8])
  local holders = redis.call('HGETALL', key)
  local others, recorded = 0, 0
  for i = 1, #holders, 2 do
    local count, untilMs = string.match(holders[i + 1], '(%d+) (%d+)')
    if tonumber(untilMs) <= now then
      redis.call('HDEL', key, holders[i])
    elseif holders[i] == replica then
      recorded = tonumber(count)
    else
      others = others + tonumber(count)
    end
  end
  local held = math.max(inUse, math.min(kept, recorded))
  local free = math.max(0, limit - others - held)
  local granted = math.min(need, free)
  granted = granted + math.min(extra, math.floor((free - granted) / 4))
  held = held + granted
  if held > 0 then
    redis.call('HSET', key, replica, string.format('%.0f %.0f', held, now + leaseMs))
    redis.call('PEXPIRE', key, leaseMs)
  else
    redis.call('HDEL', key, replica)
  end
  return {held, others}
end
`;

/**
 * Takes many such decisions in one step, each about the key at its place: ARGV has, for each, its
 * name and its words, with spaces between them. One that fails returns its error and leaves the
 * others alone.
 */
export const batchScript = `${readClock}${takeRate}${holdSlots}
local decide = {takeRate = takeRate, holdSlots = holdSlots}
local results = {}
for i = 1, #KEYS do
  local words = {}
  for word in string.gmatch(ARGV[i], '%S+') do words[#words + 1] = word end
  local isDone, result = pcall(decide[words[1]], KEYS[i], words)
  if not isDone then
    result = redis.error_reply(type(result) == 'table' and result.err or tostring(result))
  end
  results[i] = result
end
return results
`;
