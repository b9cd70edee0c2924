import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { queueConsumerContract } from '../../contracts/queue-consumer-contract.ts';
import { queueWakeContract } from '../../contracts/queue-wake-contract.ts';
import { aTaskId } from '../../contracts/queue-deployment.ts';
import { openDeployment, type Deployment } from './queues.ts';

queueWakeContract(openDeployment);
queueConsumerContract(openDeployment);

describe('bringing jobs forward', () => {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = openDeployment();
  });
  afterEach(() => deployment.close());

  it('fails when Redis is away', async () => {
    const { producer } = await deployment.producer({ url: 'redis://127.0.0.1:9', atOnce: true });

    await expect(
      producer.bringForward('video.advance', [aTaskId()], { beyondMs: 0 }),
    ).rejects.toThrow();
  });
});
