/** The largest quota that every JSON reader can hold exactly. */
export const maxQuota = Number.MAX_SAFE_INTEGER;
