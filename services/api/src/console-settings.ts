/** Whether there is a console. */
export interface ConsoleSettings {
  CONSOLE: string;
}

export const consoleSettingSchemas = {
  CONSOLE: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description: 'Whether the console, the gateway in a browser, is served under `/console`',
  },
} as const;
