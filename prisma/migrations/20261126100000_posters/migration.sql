-- A task's files may have a poster among them: its first picture, small. The next migration validates this, which stops no writer.
ALTER TABLE "media"
  DROP CONSTRAINT "media_variant",
  ADD CONSTRAINT "media_variant" CHECK ("variant" IN ('content', 'last-frame', 'poster')) NOT VALID;
