import { idPattern } from '@gateway/domain';
import { createBodyReader } from './body-reader.ts';

const mostAtOnce = 100;
export const deliveryStateNames = ['delivered', 'pending', 'failing', 'stopped'] as const;
const taskId = {
  type: 'string',
  pattern: '^video_[0-9a-z]{26}$',
  'x-must-be': 'the id of a task, such as video_01h455vb4pex5vsknk084sn02q',
} as const;

/** What is to be delivered again, of the callbacks of an account. */
export const redeliverySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['state'],
  properties: {
    state: {
      type: 'string',
      enum: deliveryStateNames,
      'x-must-be': `one of ${deliveryStateNames.join(', ')}`,
      'x-name': 'DeliveryState',
    },
    after: taskId,
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: mostAtOnce,
      'x-must-be': `an integer between 1 and ${mostAtOnce}`,
    },
    dry_run: { type: 'boolean', 'x-must-be': 'true or false' },
    endpoint: {
      type: 'string',
      pattern: idPattern('endpoint'),
      'x-must-be': 'the id of an endpoint, such as endpoint_01h455vb4pex5vsknk084sn02q',
    },
  },
} as const;

const { endpoint: _ofOneAccount, ...ofAllAccounts } = redeliverySchema.properties;

/** What is to be delivered again, of the callbacks of all accounts. */
export const operatorRedeliverySchema = {
  ...redeliverySchema,
  properties: {
    ...ofAllAccounts,
    account: {
      type: 'string',
      pattern: '^acct_[0-9a-z]{26}$',
      'x-must-be': 'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q',
    },
  },
} as const;

export interface RedeliveryBody {
  readonly state: (typeof deliveryStateNames)[number];
  /** Only of tasks older than this one. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly isDryRun: boolean;
  /** Of those to this endpoint; undefined: of those to the tasks' own addresses. */
  readonly endpointId?: string | undefined;
}

export interface OperatorRedeliveryBody extends RedeliveryBody {
  /** Undefined: of all accounts. */
  readonly accountId: string | undefined;
}

/** Reads the body of a redelivery of many. Throws one failure that names every violation. */
export function createRedeliveryReader(): (body: unknown) => RedeliveryBody {
  const read = createBodyReader(redeliverySchema);
  return (body) => bodyOf(read(body) as Asked);
}

/** The same of an operator, who may name an account. */
export function createOperatorRedeliveryReader(): (body: unknown) => OperatorRedeliveryBody {
  const read = createBodyReader(operatorRedeliverySchema);
  return (body) => {
    const asked = read(body) as Asked;
    return { ...bodyOf(asked), accountId: asked.account };
  };
}

interface Asked {
  readonly state: RedeliveryBody['state'];
  readonly after?: string;
  readonly limit?: number;
  readonly dry_run?: boolean;
  readonly account?: string;
  readonly endpoint?: string;
}

const bodyOf = ({
  state,
  after,
  limit = mostAtOnce,
  dry_run: isDryRun = false,
  endpoint: endpointId,
}: Asked): RedeliveryBody => ({ state, after, limit, isDryRun, endpointId });
