import type { Fields } from '../json.ts';

interface TypedTool {
  readonly pattern: RegExp;
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
}

const text = (description: string): Fields => ({ type: 'string', description });
const whole = (description: string): Fields => ({ type: 'integer', description });
const pair = (description: string): Fields => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
});
const objectOf = (properties: Fields, required: readonly string[]): Fields => ({
  type: 'object',
  properties,
  required,
});
const oneOf = (...values: string[]): Fields => ({ type: 'string', enum: values });

const editing = {
  path: text('Absolute path of a file or folder'),
  view_range: pair('First and last line to show; -1 is the end'),
  old_str: text('Text to replace; must be unique in the file'),
  new_str: text('Text to put in'),
  file_text: text('Content of the file to create'),
  insert_line: whole('Line after which to insert'),
  insert_text: text('Text to insert'),
};

/**
 * Tools that the originator's models know by their type alone and the client carries out. First
 * match wins.
 */
const clientTools: readonly TypedTool[] = [
  {
    pattern: /^bash_/,
    name: 'bash',
    description: 'Run a command in a persistent bash session.',
    parameters: objectOf(
      {
        command: text('The command to run'),
        restart: { type: 'boolean', description: 'Restart the session instead' },
      },
      [],
    ),
  },
  {
    pattern: /^text_editor_2025012|^text_editor_2024/,
    name: 'str_replace_editor',
    description: 'View, create and edit files.',
    parameters: objectOf(
      { command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...editing },
      ['command', 'path'],
    ),
  },
  {
    pattern: /^text_editor_/,
    name: 'str_replace_based_edit_tool',
    description: 'View, create and edit files.',
    parameters: objectOf(
      { command: oneOf('view', 'create', 'str_replace', 'insert'), ...editing },
      ['command', 'path'],
    ),
  },
  {
    pattern: /^memory_/,
    name: 'memory',
    description: 'Keep notes in files under /memories, which outlast the conversation.',
    parameters: objectOf(
      {
        command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
        ...editing,
        old_path: text('Path to rename'),
        new_path: text('Its new path'),
      },
      ['command'],
    ),
  },
  {
    pattern: /^computer_20/,
    name: 'computer',
    description: 'Use the screen, mouse and keyboard of a computer.',
    parameters: objectOf(
      {
        action: oneOf(
          'key',
          'type',
          'mouse_move',
          'left_click',
          'left_click_drag',
          'right_click',
          'middle_click',
          'double_click',
          'triple_click',
          'screenshot',
          'cursor_position',
          'left_mouse_down',
          'left_mouse_up',
          'scroll',
          'hold_key',
          'wait',
          'zoom',
        ),
        coordinate: pair('x and y in pixels'),
        start_coordinate: pair('x and y in pixels where a drag starts'),
        text: text('Text to type or keys to press'),
        scroll_direction: oneOf('up', 'down', 'left', 'right'),
        scroll_amount: whole('Clicks of the wheel'),
        duration: { type: 'number', description: 'Seconds' },
        region: {
          type: 'array',
          items: { type: 'integer' },
          minItems: 4,
          maxItems: 4,
          description: 'x0, y0, x1, y1 to zoom in on',
        },
      },
      ['action'],
    ),
  },
];

/**
 * The function that stands for a typed tool, or undefined when the originator's API would have run
 * it itself.
 */
export function clientToolOf(type: string): Omit<TypedTool, 'pattern'> | undefined {
  return clientTools.find(({ pattern }) => pattern.test(type));
}
