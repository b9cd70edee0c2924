import { taskStatuses } from '@gateway/domain';
import type { Endpoint } from '@gateway/store';

export const endpointStates = ['pending', 'active', 'failed', 'disabled'] as const;

/** An endpoint of an account, in the words of docs/callbacks.md. */
export const endpointResource = (endpoint: Endpoint) => ({
  id: endpoint.id,
  object: 'endpoint',
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events.length === 0 ? [...taskStatuses] : endpoint.events,
  state: stateOf(endpoint),
  reason: endpoint.failure,
  detail: endpoint.failureDetail,
  verified_at: endpoint.verifiedAt?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
});

function stateOf({ enabled, verifiedAt, failure }: Endpoint): (typeof endpointStates)[number] {
  if (!enabled) return 'disabled';
  if (verifiedAt !== null) return 'active';
  return failure === null ? 'pending' : 'failed';
}
