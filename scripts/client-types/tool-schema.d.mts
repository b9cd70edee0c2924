/** What a video request may hold, as a module for the tools of agents: without references to elsewhere. */
export function toolSchema(document: object): Promise<string>;
