import type { CompletionOptions } from '../neutral.ts';
import { customInput } from './custom-input.ts';

/** The chunks of tool calls, which come one after another. */
export interface CallWriter {
  start(id: string, name: string): string;
  arguments(text: string): string;
  end(): string;
}

type WriteDelta = (delta: string) => string;

/**
 * Id, type and name stand in a call's first fragment only: clients join what is repeated. A legacy
 * completion can carry one call.
 */
export function createCallWriter(
  { legacyFunctions, customTools }: CompletionOptions,
  writeDelta: WriteDelta,
): CallWriter {
  const functions = legacyFunctions
    ? createLegacyWriter(writeDelta)
    : createFunctionWriter(writeDelta);
  if (customTools.length === 0) return functions;
  const custom = createCustomWriter(functions, writeDelta);
  let current: CallWriter = functions;
  return {
    start(id, name) {
      current = customTools.includes(name) ? custom : functions;
      return current.start(id, name);
    },
    arguments: (text) => current.arguments(text),
    end: () => current.end(),
  };
}

/** `index` counts calls from 0, whatever else the completion holds. */
interface IndexedWriter extends CallWriter {
  nextIndex(): number;
}

function createFunctionWriter(writeDelta: WriteDelta): IndexedWriter {
  let index = -1;
  let isEmpty = true;
  const fragment = (text: string): string =>
    writeDelta(
      `{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(text)}}}]}`,
    );
  return {
    nextIndex: () => (index += 1),
    start(id, name) {
      index += 1;
      isEmpty = true;
      return writeDelta(
        `{"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}}]}`,
      );
    },
    arguments(text) {
      isEmpty &&= text.trim() === '';
      return text === '' ? '' : fragment(text);
    },
    end: () => (isEmpty ? fragment('{}') : ''),
  };
}

function createLegacyWriter(writeDelta: WriteDelta): IndexedWriter {
  let calls = 0;
  let isEmpty = true;
  const fragment = (text: string): string =>
    calls > 1 ? '' : writeDelta(`{"function_call":{"arguments":${JSON.stringify(text)}}}`);
  return {
    nextIndex: () => 0,
    start(_id, name) {
      calls += 1;
      isEmpty = true;
      return calls > 1
        ? ''
        : writeDelta(`{"function_call":{"name":${JSON.stringify(name)},"arguments":""}}`);
    },
    arguments(text) {
      isEmpty &&= text.trim() === '';
      return text === '' ? '' : fragment(text);
    },
    end: () => (isEmpty ? fragment('{}') : ''),
  };
}

/** A custom tool's text stands inside an object that has to be whole before it can be taken out. */
function createCustomWriter(functions: IndexedWriter, writeDelta: WriteDelta): CallWriter {
  let index = 0;
  let text = '';
  return {
    start(id, name) {
      index = functions.nextIndex();
      text = '';
      return writeDelta(
        `{"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"custom","custom":{"name":${JSON.stringify(name)},"input":""}}]}`,
      );
    },
    arguments(fragment) {
      text += fragment;
      return '';
    },
    end: () =>
      writeDelta(
        `{"tool_calls":[{"index":${index},"custom":{"input":${JSON.stringify(customInput(text))}}}]}`,
      ),
  };
}
