/**
 * What happens inside Redis, in one step each. All of them read Redis' own clock, so that replicas
 * need not agree on theirs, and return durations. Each touches one key only.
 */

const readClock = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

/**
 * Gives back what an earlier lease left over, then leases tokens of the present bucket. A bucket
 * counts until it is wholly older than the window, so no stretch of a window's length ever holds
 * more than the limit. `need` comes first; `extra` takes at most a tenth of what is left, so the
 * last tokens are given out one by one. ARGV: limit, need, extra, bucketMs, buckets a window,
 * bucket given back to, tokens given back. Returns tokens, tokens left over, bucket, its remaining
 * ms, ms until the oldest counted bucket leaves.
 */
const takeRate = `${readClock}
local limit, need, extra = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucketMs, buckets, back = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[7])
local bucket = math.floor(now / bucketMs)
if back > 0 and redis.call('HEXISTS', KEYS[1], ARGV[6]) == 1 then
  if redis.call('HINCRBY', KEYS[1], ARGV[6], -back) <= 0 then redis.call('HDEL', KEYS[1], ARGV[6]) end
end
local counts = redis.call('HGETALL', KEYS[1])
local used, oldest = 0, bucket
for i = 1, #counts, 2 do
  local at = tonumber(counts[i])
  if at < bucket - buckets then
    redis.call('HDEL', KEYS[1], counts[i])
  else
    used = used + tonumber(counts[i + 1])
    if at < oldest then oldest = at end
  end
end
local left = math.max(0, limit - used)
local granted = math.min(need, left)
granted = granted + math.min(extra, math.floor((left - granted) / 10))
if granted > 0 then
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', bucket), granted)
  redis.call('PEXPIRE', KEYS[1], (buckets + 2) * bucketMs)
end
return {granted, left - granted, bucket, (bucket + 1) * bucketMs - now, (oldest + buckets + 1) * bucketMs - now}
`;

/**
 * A replica declares what it holds of a subject, and asks for more. Declared, not added: saying it
 * again, after a lost response or a FLUSHALL, makes it right. A holder that is not heard of for
 * leaseMs holds nothing. What this replica keeps idle is its own only while it is on record; what
 * is in use is declared in any case. ARGV: replica, in use, kept (in use and idle), need, extra,
 * limit, leaseMs. Returns held by this replica, held by others.
 */
const holdSlots = `${readClock}
local inUse, kept, need = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local extra, limit, leaseMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local holders = redis.call('HGETALL', KEYS[1])
local others, recorded = 0, 0
for i = 1, #holders, 2 do
  local count, untilMs = string.match(holders[i + 1], '(%d+) (%d+)')
  if tonumber(untilMs) <= now then
    redis.call('HDEL', KEYS[1], holders[i])
  elseif holders[i] == ARGV[1] then
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
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f', held, now + leaseMs))
  redis.call('PEXPIRE', KEYS[1], leaseMs)
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
return {held, others}
`;

/**
 * Books the next free moments of a pace, in microseconds of Redis' clock. ARGV, for each call: the
 * time until the next may follow, how far ahead it may be booked. Returns for each how long until
 * its moment; below zero, booking nothing, how far that lies beyond what it may book.
 */
const bookPace = `
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local free = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local booked = false
local waits = {}
for i = 1, #ARGV, 2 do
  local wait, horizon = free - now, tonumber(ARGV[i + 1])
  if wait > horizon then
    waits[#waits + 1] = math.min(-1, math.floor(horizon - wait))
  else
    waits[#waits + 1] = math.floor(wait)
    free = free + tonumber(ARGV[i])
    booked = true
  end
end
if booked then redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1000) end
return waits
`;

/**
 * Notes that a breaker is open. ARGV: name, cool-down in ms, openings, ms after which the whole
 * record may go.
 */
const openBreaker = `${readClock}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %s', now + tonumber(ARGV[2]), ARGV[3]))
return redis.call('PEXPIRE', KEYS[1], ARGV[4])
`;

/** Returns name, remaining ms and openings of every breaker that is open, flat. */
const readBreakers = `${readClock}
local noted = redis.call('HGETALL', KEYS[1])
local open = {}
for i = 1, #noted, 2 do
  local untilMs, openings = string.match(noted[i + 1], '(%d+) (%d+)')
  if tonumber(untilMs) <= now then
    redis.call('HDEL', KEYS[1], noted[i])
  else
    open[#open + 1] = noted[i]
    open[#open + 1] = tonumber(untilMs) - now
    open[#open + 1] = tonumber(openings)
  end
end
return open
`;

/** Forgets one breaker. ARGV: name. */
const closeBreaker = `return redis.call('HDEL', KEYS[1], ARGV[1])`;

/** One replica at a time may probe. ARGV: replica, ms. Returns 1 when it is this one. */
const claimProbe = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`;

/** Gives a claim up, if it is this replica's. ARGV: replica. */
const releaseProbe = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/** Ends every claim: the breaker has opened again, or closed. */
const endProbe = `return redis.call('DEL', KEYS[1])`;

/** Fails whenever one of the others would: no script, no write, no memory. */
const tryOut = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`;

export const scripts = {
  takeRate,
  holdSlots,
  bookPace,
  openCircuit: openBreaker,
  readCircuits: readBreakers,
  closeCircuit: closeBreaker,
  claimProbe,
  releaseProbe,
  endProbe,
  tryOut,
} as const;

export type ScriptName = keyof typeof scripts;
