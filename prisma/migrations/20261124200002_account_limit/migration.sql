-- How many unfinished videos an account may have, where its operator says something else than the configuration.
ALTER TABLE "account" ADD COLUMN "active_videos_limit" INTEGER;

-- What follows Prisma's language cannot say.
ALTER TABLE "account" ADD CONSTRAINT "account_active_videos_limit" CHECK ("active_videos_limit" > 0);
