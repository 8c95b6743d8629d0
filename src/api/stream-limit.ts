/** How many streams of events a key may have open. */
export const MOST_STREAMS_PER_KEY = 10;
export const TOO_MANY_STREAMS = `Too many streams: a key may have ${MOST_STREAMS_PER_KEY} open at a time`;
