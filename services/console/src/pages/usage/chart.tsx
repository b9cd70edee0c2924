import { useEffect, useRef } from 'react';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Measure, Series } from './series.ts';

export interface ChartProps {
  readonly series: Series;
  readonly measure: Measure;
}

const height = 260;
/** Told apart by their dashes too. */
const strokes = ['--accent', '--busy', '--waiting', '--bad', '--good', '--over'];
const dashes = [[], [6, 4], [2, 3], [10, 4, 2, 4]];

/** A line for each model; the table below it says the same in words. */
export function Chart({ series, measure }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = frame.current;
    if (target === null) return undefined;
    const plot = new Plot(
      optionsFor(series, target.clientWidth),
      [[...series.moments], ...series.models.map(({ values }) => [...values])],
      target,
    );
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: target.clientWidth, height });
    });
    observer.observe(target);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [series]);
  return <div ref={frame} role="img" aria-label={`${measure.replaceAll('_', ' ')} by model`} />;
}

function optionsFor({ models, moments }: Series, width: number): Plot.Options {
  const colour = colourOf();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  };
  return {
    width,
    height,
    scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [axis, { ...axis, size: 70 }],
    series: [
      {},
      ...models.map(({ name }, index) => ({
        label: name,
        stroke: colour(strokes[index % strokes.length] ?? '--accent'),
        width: 2,
        dash: dashes[index % dashes.length] ?? [],
        points: { show: moments.length < 40, size: 6 },
      })),
    ],
  };
}

/** Colours as they are in this scheme: a canvas knows no custom properties. */
function colourOf(): (name: string) => string {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colours = [...strokes, '--muted', '--line'].map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  const known = new Map<string, string>(colours);
  return (name) => known.get(name) ?? 'currentColor';
}
