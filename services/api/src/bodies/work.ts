import {
  RequestBody,
  type CountCommand,
  type ExpandCommand,
  type InspectCommand,
  type ItemsCommand,
  type RenderCommand,
} from './text-body.ts';
import { readVideoBody, type VideoCommand } from './video-body.ts';

/** What is asked of the bytes of one body. */
export type Work =
  InspectCommand | RenderCommand | CountCommand | ExpandCommand | ItemsCommand | VideoCommand;

/** Pure work on bytes, in whichever thread; throws a GatewayError for a body that is refused. */
export function workOn(bytes: Buffer, work: Work): unknown {
  switch (work.kind) {
    case 'inspect': {
      const body = new RequestBody(bytes);
      return { ...body.inspect(work), promptTokens: body.estimate() };
    }
    case 'render': {
      const rendered = new RequestBody(bytes).render(work);
      // bytes that did not change stay where they are
      return { ...rendered, body: rendered.body === bytes ? null : rendered.body };
    }
    case 'count':
      return new RequestBody(bytes).count();
    case 'expand':
      // bytes alone would be taken for a list of them
      return { expanded: new RequestBody(bytes).expand(work) };
    case 'items':
      return new RequestBody(bytes).items(work);
    case 'video':
      return readVideoBody(bytes, work);
  }
}
