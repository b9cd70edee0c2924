/**
 * What happens inside Redis, in one step each. All of them read Redis' own clock, so that replicas
 * need not agree on theirs, and return durations. Each touches one key only; what requests ask, many
 * at a time, is in batch-script.ts.
 */

export const readClock = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
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
