const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = '\\d{2}:\\d{2}:\\d{2}';

/** The three forms of RFC 9110 section 5.6.7; a recipient takes all of them. */
const preferred = new RegExp(`^${day}, \\d{2} ${month} \\d{4} ${time} GMT$`);
const rfc850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${month}-\\d{2} ${time} GMT$`,
);
const asctime = new RegExp(`^${day} ${month} [ \\d]\\d ${time} \\d{4}$`);

/** Seconds since the epoch, or undefined when the text is no HTTP date and so must be ignored. */
export function parseHttpDate(text: string): number | undefined {
  const isZoned = preferred.test(text) || rfc850.test(text);
  if (!isZoned && !asctime.test(text)) return undefined;
  const milliseconds = Date.parse(isZoned ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
