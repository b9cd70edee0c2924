import { describe, expect, it } from '@jest/globals';
import { isRetired, namesInService, retiredSentence, retiringModels } from '@gateway/contracts';
import { configurationIn, problemsIn, withModelLines } from './configuration-text.ts';
import { aModel, aReader, refusalOf } from './samples.ts';

const endOf = (written: string): Date | undefined =>
  configurationIn(withModelLines(`retires_at: ${written}`)).models.get('film-1')?.retiresAt;

describe('the end of a model', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['"2027-01-31"', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:30:00Z', '2027-01-31T12:30:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (written, time) => {
    expect(endOf(written)?.toISOString()).toBe(time);
  });

  it('is unknown unless the file names it', () => {
    expect(configurationIn(withModelLines()).models.get('film-1')?.retiresAt).toBeUndefined();
  });

  it.each([
    ['2027-02-30', 'is in no calendar'],
    ['2027-13-01', 'is in no calendar'],
    ['2027-01-31T25:00:00Z', 'is in no calendar'],
    ['2027-01-31T12:00:00+02:00', 'must be a day such as'],
    ['soon', 'must be a day such as'],
    ['20270131', 'must be'],
  ])('cannot be %s', (written, why) => {
    const problems = problemsIn(withModelLines(`retires_at: ${written}`));

    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
    expect(JSON.stringify(problems)).toContain('retires_at');
  });

  it('is named for a text model in the same way', () => {
    const text = withModelLines()
      .replace(
        'providers:\n',
        'providers:\n  m: { kind: messages, base_url: https://m.example, api_key: ${STUDIO_KEY} }\n',
      )
      .replace(
        'models:\n',
        'models:\n  words: { kind: text, retires_at: 2027-02-30, routes: [{ provider: m, model: w }] }\n',
      );

    expect(problemsIn(text)).toHaveLength(1);
    const { textModels } = configurationIn(text.replace('02-30', '02-28'));
    expect(textModels.get('words')?.retiresAt).toEqual(new Date('2027-02-28'));
  });
});

describe('a model that ends', () => {
  const retiresAt = new Date('2027-01-31T12:00:00Z');
  const end = retiresAt.getTime();
  const endless = { name: 'endless', retiresAt: undefined };
  const ending = { name: 'ending', retiresAt };

  it('serves until its end, and not from then on', () => {
    expect(isRetired(ending, end - 1)).toBe(false);
    expect(isRetired(ending, end)).toBe(true);
    expect(isRetired(endless, end)).toBe(false);
    expect(namesInService([ending, endless], end - 1)).toEqual(['ending', 'endless']);
    expect(namesInService([ending, endless], end)).toEqual(['endless']);
    expect(retiredSentence('the model "ending"', ending)).toBe(
      'the model "ending" was retired on 2027-01-31',
    );
  });

  it('is a matter for the operator two weeks before, the earliest first', () => {
    const earlier = { name: 'earlier', retiresAt: new Date(end - 60_000) };
    const fortnight = 14 * 86_400_000;

    expect(retiringModels([ending, endless, earlier], end - fortnight - 60_001)).toEqual([]);
    expect(retiringModels([ending, endless, earlier], end - fortnight)).toEqual([earlier, ending]);
  });

  it('makes no video from its end on', () => {
    let now = end - 1;
    const read = aReader({
      models: [aModel({ retiresAt }), aModel({ name: 'film-2' })],
      clock: { now: () => now },
    });
    const body = { model: 'film-1', prompt: 'a red balloon' };
    expect(read(body).model.name).toBe('film-1');

    now = end;
    const refusal = refusalOf(read, body);

    expect(refusal).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(refusal.message).toBe(
      'model "film-1" was retired on 2027-01-31; video models here: film-2',
    );
  });
});
