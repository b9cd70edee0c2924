-- A finished video that a live task of its account is made from: its files stay until that task is over, as those of assets do.
CREATE FUNCTION video_in_use(video_id text, owner_id text) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (
    SELECT 1 FROM task
    WHERE account_id = owner_id AND completed_at IS NULL AND request -> 'references' <> '[]'::jsonb
      AND request -> 'references' @> jsonb_build_array(jsonb_build_object('source', jsonb_build_object('taskId', video_id))));
