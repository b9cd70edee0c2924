ALTER TABLE "media" VALIDATE CONSTRAINT "media_variant";
