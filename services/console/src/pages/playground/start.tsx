import { Icon } from '../../parts/icon.tsx';

const ideas = [
  'A paper boat drifts on a calm lake at dawn, mist over the water, slow dolly in',
  'Macro shot of rain on a window, city lights out of focus behind it, night',
  'A lighthouse in a storm, waves breaking over the rocks, camera circles from above',
];

/** Before the first take: what this page does, and something to begin with. */
export function Start({ onIdea }: { onIdea: (prompt: string) => void }) {
  return (
    <section className="card start" aria-label="Getting started">
      <h2>Describe your video</h2>
      <p className="muted">
        The form shows the options that your model supports, and the price. Add models to compare up
        to four on the same prompt. You can close this page at any time: your videos keep rendering
        and appear in the list.
      </p>
      <div className="ideas">
        {ideas.map((idea) => (
          <button
            type="button"
            className="idea"
            key={idea}
            onClick={() => {
              onIdea(idea);
            }}
          >
            <Icon name="playground" />
            {idea}
          </button>
        ))}
      </div>
    </section>
  );
}
