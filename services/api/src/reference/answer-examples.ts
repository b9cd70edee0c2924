/** One answer of each kind that a reader wants to see whole, by component. */
export const answerExamples: Readonly<Record<string, unknown>> = {
  Video: {
    id: 'video_01m7z1vegze4b97z2xd0j0rnt8', object: 'video', model: 'sandbox-video', status: 'succeeded', duration: 5, ratio: '16:9', aspect_ratio: '16:9', resolution: '720p', seed: 7, generate_audio: false,
    created_at: '2026-11-21T10:00:00.000Z', started_at: '2026-11-21T10:00:01.204Z', completed_at: '2026-11-21T10:00:31.377Z', expires_at: '2026-11-21T11:00:00.000Z',
    content: { video_url: 'https://gateway.example/v1/videos/video_01m7z1vegze4b97z2xd0j0rnt8/content?token=v1.k1.aXQ', last_frame_url: 'https://gateway.example/v1/videos/video_01m7z1vegze4b97z2xd0j0rnt8/last-frame?token=v1.k1.aXQ' },
    usage: { completion_tokens: 108_900, total_tokens: 108_900 },
    portal_billing: { billing_mode: 'per_second', second_quota: 100, reserved_duration_seconds: 5, max_billing_quota: 500, billed_duration_seconds: 5, billed_quota: 500 }, metadata: { order: '17' },
  },
  VideoQuote: {
    object: 'video.quote', model: 'sandbox-video', duration: 5, ratio: '16:9', aspect_ratio: '16:9', resolution: '720p', seed: null, watermark: false, generate_audio: false, return_last_frame: false, metadata: {},
    portal_billing: { billing_mode: 'per_second', second_quota: 100, reserved_duration_seconds: 5, max_billing_quota: 500 }, balance: 9_500, affordable: true,
  },
  Asset: {
    id: 'asset_01m7z1vegze4b97z2xd0j0rnt8', object: 'asset', kind: 'image', content_type: 'image/png', size_bytes: 70, sha256: 'ebf4f635a17d10d6eb46ba680b70142419aa3220f228001a036d311a22ee9d2a', width: 1, height: 1,
    name: 'cat.png', created_at: '2026-11-21T10:00:00.000Z',
  },
  LedgerEntry: { id: 'entry_17', kind: 'charge', task_id: 'video_01m7z1vegze4b97z2xd0j0rnt8', quota: 500, balance_after: 9_500, held_after: 0, created_at: '2026-11-21T10:00:31.400Z' },
  Message: {
    id: 'msg_01', type: 'message', role: 'assistant', model: 'sandbox-chat', content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn', stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  },
  ChatCompletion: {
    id: 'chatcmpl-01', object: 'chat.completion', created: 1_795_255_200, model: 'sandbox-messages', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
  },
  Error: {
    error: {
      message: 'duration must be an integer between 4 and 15; got "5"', type: 'invalid_request_error', code: 'invalid_parameter', param: 'duration',
      details: [{ param: 'duration', message: 'duration must be an integer between 4 and 15; got "5"' }],
    },
  },
  MessagesError: { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens is required' }, request_id: 'req_01m7z1vegze4b97z2xd0j0rnt8' },
  ChatError: { error: { message: 'messages is required', type: 'invalid_request_error', code: 'missing_parameter', param: 'messages' } },
};
