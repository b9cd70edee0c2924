# One image for the whole suite; the first argument says which part runs (docker/entry.mjs lists them).
# Pin what is pulled by its digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.11.1-bookworm-slim

# The manifests alone, so that installing is done again only when one of them changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/contracts/package.json packages/contracts/
COPY packages/domain/package.json packages/domain/
COPY packages/limits/package.json packages/limits/
COPY packages/local-stack/package.json packages/local-stack/
COPY packages/mcp/package.json packages/mcp/
COPY packages/media/package.json packages/media/
COPY packages/outbound/package.json packages/outbound/
COPY packages/queue/package.json packages/queue/
COPY packages/runtime/package.json packages/runtime/
COPY packages/store/package.json packages/store/
COPY packages/testing/package.json packages/testing/
COPY packages/text-dialects/package.json packages/text-dialects/
COPY packages/video-providers/package.json packages/video-providers/
COPY services/admin/package.json services/admin/
COPY services/api/package.json services/api/
COPY services/billing/package.json services/billing/
COPY services/callback-dispatcher/package.json services/callback-dispatcher/
COPY services/console/package.json services/console/
COPY services/sandbox-vendor/package.json services/sandbox-vendor/
COPY services/video-worker/package.json services/video-worker/

FROM manifests AS build
RUN npm ci --ignore-scripts
COPY tsconfig.base.json tsconfig.json prisma.config.ts ./
COPY prisma prisma
COPY packages packages
COPY services services
# Prisma asks for its schema engine, which generating does not use: any program in its place will do, in this one line.
RUN PRISMA_SCHEMA_ENGINE_BINARY=/bin/true CHECKPOINT_DISABLE=1 node node_modules/prisma/build/index.js generate
RUN node node_modules/typescript-native/bin/tsc -b prisma services/api services/video-worker services/callback-dispatcher services/billing services/admin services/sandbox-vendor
RUN node node_modules/vite/bin/vite.js build --logLevel error services/console
COPY scripts/setup/bundle.mjs scripts/setup/
RUN node scripts/setup/bundle.mjs
# What runs, without sources: the bundles with their source maps, and the manifests (they say what a package exports) and
# compiled files that threads and the migration load.
RUN set -eu; \
    for part in packages/* services/*; do \
      if [ -d "$part/dist" ]; then mkdir -p "/out/$part"; cp -r "$part/package.json" "$part/dist" "/out/$part/"; fi; \
    done; \
    cp -r services/api/browser /out/services/api/; \
    mkdir -p /out/prisma; \
    cp -r prisma/schema.prisma prisma/migrations prisma/dist /out/prisma/; \
    find /out -name '*.d.ts' -delete; find /out -name '*.map' -delete; find /out -name .tsbuildinfo -delete; \
    cp -r dist /out/

FROM manifests AS production
ARG PARTS="services/api services/video-worker services/callback-dispatcher services/billing services/admin services/sandbox-vendor"
COPY docker/prune.mjs docker/
RUN npm ci --ignore-scripts --omit=dev --include-workspace-root $(printf -- '--workspace %s ' $PARTS) \
    && node docker/prune.mjs $PARTS && rm -r docker .npmrc

FROM ${NODE_IMAGE}
# Nothing in here installs anything, and no program gives its caller another user's rights. /var/lib/dpkg/status stays: it tells a
# scanner what the base holds.
RUN rm -rf /usr/local/lib/node_modules /usr/local/etc/npmrc /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
      /usr/bin/apt* /usr/bin/dpkg* /usr/lib/apt /usr/lib/dpkg /var/lib/apt /var/cache/apt \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
ENV NODE_ENV=production
# glibc keeps a heap for each of Node's threads; two of them hold the api 5 MB smaller.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=production /app /app
COPY --from=build /out /app
COPY docker/entry.mjs docker/healthcheck.mjs docker/
# A new volume takes over the owner of these folders.
RUN mkdir -p /data/media /data/sandbox /data/usage-spool && chown -R 10001:10001 /data
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "docker/healthcheck.mjs"]
ENTRYPOINT ["node", "docker/entry.mjs"]
