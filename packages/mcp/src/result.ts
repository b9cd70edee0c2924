import type { CallToolResult } from '@modelcontextprotocol/server';
import { refusalOf, type Json } from './gateway.ts';
import type { Said } from './tool.ts';

/** What a tool says, for programs as structured content and for models as text. */
export function resultOf({ resource, hint }: Said): CallToolResult {
  const text = JSON.stringify(resource);
  return {
    content: [
      ...(hint === undefined ? [] : [{ type: 'text' as const, text: hint }]),
      { type: 'text', text },
      ...linksIn(resource),
    ],
    structuredContent: resource,
  };
}

function linksIn({ id, content }: Json): CallToolResult['content'] {
  const { video_url: uri } = (content ?? {}) as { readonly video_url?: unknown };
  if (typeof uri !== 'string' || typeof id !== 'string') return [];
  return [{ type: 'resource_link', uri, name: `${id}.mp4`, mimeType: 'video/mp4' }];
}

/**
 * A refusal, in the words of the gateway's errors, so that a model can mend its call. Throws
 * everything else: what nobody expected is an error of the protocol.
 */
export function refusedResult(error: unknown): CallToolResult {
  const refusal = refusalOf(error);
  if (refusal === undefined) throw error;
  const { code, message, status, param, requestId, retryAfterMs } = refusal;
  const about = {
    code,
    message,
    ...(status !== undefined && { status }),
    ...(param !== undefined && { param }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    structuredContent: { error: about },
  };
}
