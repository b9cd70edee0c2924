// Made from the OpenAPI document by "npm run generate:client-types". Do not edit.

export interface paths {
  readonly '/v1/videos': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List video tasks
     * @description With `key`, `q` or `metadata` a page looks through 500 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listVideos'];
    readonly put?: never;
    /**
     * Create a video task
     * @description Prices the request, reserves its quota and records the task. A refused request costs nothing and leaves nothing behind.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['createVideo'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/quote': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Quote the price of a video
     * @description Checks and prices the body as a creation would, but creates nothing.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['quoteVideo'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a video task
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['getVideo'];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete a finished video task and its files
     * @description Needs a key with the scope `videos:write`.
     */
    readonly delete: operations['deleteVideo'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/cancel': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Cancel a video task
     * @description Needs a key with the scope `videos:write`.
     */
    readonly post: operations['cancelVideo'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/timeline': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read when what happened to a task
     * @description Every moment on record: quota held, queued, slot given (`admitted`), sent to the vendor (`submitted`), taken by it (`running`), file stored, end, charge or release, each status that the callback address took. What has not happened is not there.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listVideoMoments'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read or follow what happens to a task
     * @description With `Accept: text/event-stream`, a stream: one event for each status. `id` is its sequence number, `event` the status, and `data` the task as it was then, which the schema describes. The stream ends after the last status.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listVideoEvents'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/receipt': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the receipt of a video
     * @description A signed statement of what was made, when, and what it cost, with the hashes of the files: a flattened JWS with a readable `statement` beside it. It is the same whenever it is asked for, also once the files are gone.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['getVideoReceipt'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/.well-known/gateway-receipt-keys.json': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the public keys of receipts
     * @description A JWK set (RFC 7517). Keep it: it checks receipts without a connection.
     */
    readonly get: operations['getReceiptKeys'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Follow what happens to all tasks of the account
     * @description With `Accept: text/event-stream`, a stream that does not end: one event for each status of any task. It begins with `ready` and a few of the last events, or where `Last-Event-ID` says. After `reset` read your videos again: too much has happened meanwhile. Otherwise JSON: what happened behind `after`, and where to go on. Either way an event may come more than once: by `video.id` and `sequence` it is the same.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listEvents'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/content': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the video
     * @description The token in the address is all that this route needs. Ranges and resumed downloads work; an address stays the same for a while, so that copies can be cached.
     */
    readonly get: operations['getVideoContent'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/last-frame': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the last frame
     * @description The token in the address is all that this route needs. Ranges and resumed downloads work; an address stays the same for a while, so that copies can be cached.
     */
    readonly get: operations['getVideoLastFrame'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/poster': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the poster
     * @description The token in the address is all that this route needs. Ranges and resumed downloads work; an address stays the same for a while, so that copies can be cached.
     */
    readonly get: operations['getVideoPoster'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/assets': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List assets
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listAssets'];
    readonly put?: never;
    /**
     * Upload an image, a video or an audio clip
     * @description Send the file as a form part named `file`, or as the body itself. Its first bytes decide its type.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['createAsset'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/assets/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read an asset
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['getAsset'];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an asset
     * @description Needs a key with the scope `videos:write`.
     */
    readonly delete: operations['deleteAsset'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/assets/{id}/content': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get the file of an asset
     * @description The token in the address is all that this route needs. Ranges and resumed downloads work; an address stays the same for a while, so that copies can be cached.
     */
    readonly get: operations['getAssetContent'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/callbacks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the delivery log of a task
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listVideoCallbacks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/videos/{id}/callbacks/redeliver': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Deliver the newest status again
     * @description Needs a key with the scope `videos:write`.
     */
    readonly post: operations['redeliverVideoCallbacks'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/callback-secret': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the secret that signs callbacks
     * @description Needs a key with the scope `secrets:read`.
     */
    readonly get: operations['getCallbackSecret'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/callback-secret/rotate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Rotate the callback secret
     * @description Needs a key with the scope `secrets:read`.
     */
    readonly post: operations['rotateCallbackSecret'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/billing/balance': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the balance
     * @description Needs a key with the scope `billing:read`.
     */
    readonly get: operations['getBalance'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/billing/ledger': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the ledger
     * @description Needs a key with the scope `billing:read`.
     */
    readonly get: operations['listLedgerEntries'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/usage': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read usage by day or hour, model and key
     * @description By hour a period covers at most 7 of the last 30 days, two by default, and has at most 50,000 rows.
     *
     *     Needs a key with the scope `billing:read`.
     */
    readonly get: operations['listUsage'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/callbacks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List where the callbacks of all tasks stand
     * @description A page looks through 100 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got. Archived tasks are not in the list.
     *
     *     Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listCallbacks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/callbacks/redeliver': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Deliver the newest status of many tasks again
     * @description Takes those of the next hundred tasks that are in this state, at their `callback_url` or, with `endpoint`, at that endpoint: repeat it with `after: last_id` while `has_more`. With `dry_run` it only says which. Repeating it does no harm.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['redeliverCallbacks'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/callbacks/test': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send a test event to an address
     * @description First the challenge, then, once that is answered, an event `callback.test`, signed with the secret of the account: as a push, but each is sent once and nothing is kept. An address that fails is no error: the response says what came back. Six a minute for an account, one at a time; takes up to 20 seconds.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['testCallback'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook-endpoints': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the endpoints of the account
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['listEndpoints'];
    readonly put?: never;
    /**
     * Add an endpoint
     * @description Every status of every task of the account is pushed there, beside the `callback_url` of the task; a task whose `callback_url` is the same address gets each status once. The response waits for the challenge: `active`, or `failed` with what was wrong. Counts as a test: six a minute for an account, one at a time. An account may have five, unless the operator says otherwise.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['createEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook-endpoints/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read an endpoint
     * @description Needs a key with the scope `videos:read`.
     */
    readonly get: operations['getEndpoint'];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an endpoint
     * @description What was pending there is dropped; the delivery logs of the tasks keep the rest.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly delete: operations['deleteEndpoint'];
    readonly options?: never;
    readonly head?: never;
    /**
     * Change an endpoint
     * @description What the body leaves out stays; the address always does. While it is disabled, nothing is pushed there, and what was pending is dropped.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly patch: operations['changeEndpoint'];
    readonly trace?: never;
  };
  readonly '/v1/webhook-endpoints/{id}/verify': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send the challenge once more
     * @description For an endpoint that has not answered it right; any other stays as it is.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['verifyEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook-endpoints/{id}/test': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send a test event to an endpoint
     * @description As `POST /v1/callbacks/test` to its address. Its state stays as it is.
     *
     *     Needs a key with the scope `videos:write`.
     */
    readonly post: operations['testEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/keys': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the keys of the account
     * @description Needs a key with the scope `keys:write`.
     */
    readonly get: operations['listKeys'];
    readonly put?: never;
    /**
     * Make a key
     * @description The new key may nothing that the key which makes it may not, and lasts no longer: scopes, models, rate and expiry that the body leaves out are those of its maker. This response shows it; nothing else ever does. An account may have 100 valid keys and make 200 a day.
     *
     *     Needs a key with the scope `keys:write`.
     */
    readonly post: operations['createKey'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/keys/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /**
     * Revoke a key
     * @description It stops working within five seconds, with all sessions that were opened with it.
     *
     *     Needs a key with the scope `keys:write`.
     */
    readonly delete: operations['revokeKey'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/session': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read the session of this request */
    readonly get: operations['getSession'];
    readonly put?: never;
    /**
     * Sign a browser in with an API key
     * @description The response sets a cookie that scripts cannot read; with it the browser may use all of `/v1` as with the key, for eight hours, or until it is unused for two. A key has fifty sessions at most; one more ends the one that was unused for longest.
     */
    readonly post: operations['openSession'];
    /** Sign out */
    readonly delete: operations['closeSession'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/sessions': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the sessions of the key */
    readonly get: operations['listSessions'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/sessions/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** End a session of the key */
    readonly delete: operations['endSession'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/session': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read the session of this request */
    readonly get: operations['adminGetSession'];
    readonly put?: never;
    /**
     * Sign an operator’s browser in
     * @description The response sets a cookie for `/admin/v1`, valid for eight hours, or until it is unused for two. Another `ADMIN_TOKEN` ends all of them.
     */
    readonly post: operations['adminOpenSession'];
    /** Sign out */
    readonly delete: operations['adminCloseSession'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/sessions': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the sessions of operators */
    readonly get: operations['adminListSessions'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/sessions/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** End a session of an operator */
    readonly delete: operations['adminEndSession'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/models': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the models that the key may use */
    readonly get: operations['listModels'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/models/{model}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a model
     * @description The name of a model may contain slashes and colons, literal or percent-encoded.
     */
    readonly get: operations['getModel'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/models': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the models that the key may use */
    readonly get: operations['listModelsWithoutVersion'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/models/{model}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a model
     * @description The name of a model may contain slashes and colons, literal or percent-encoded.
     */
    readonly get: operations['getModelWithoutVersion'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List accounts */
    readonly get: operations['adminListAccounts'];
    readonly put?: never;
    /** Open an account */
    readonly post: operations['adminCreateAccount'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read an account */
    readonly get: operations['adminGetAccount'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    /**
     * Change the name or the limit of an account, suspend it, or resume it
     * @description A suspended account begins no new work: new videos, assets and text are refused with 403 `account_suspended`. Its running videos finish and are billed and pushed, and everything can be read. It takes effect within five seconds on every replica.
     */
    readonly patch: operations['adminChangeAccount'];
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/keys': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the keys of an account */
    readonly get: operations['adminListKeys'];
    readonly put?: never;
    /** Create a key */
    readonly post: operations['adminCreateKey'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/keys/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** Revoke a key */
    readonly delete: operations['adminRevokeKey'];
    readonly options?: never;
    readonly head?: never;
    /**
     * Change a key
     * @description What is left out stays as it is. It takes effect within five seconds on every replica. A revoked key cannot be changed.
     */
    readonly patch: operations['adminChangeKey'];
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/top-ups': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Add quota to an account */
    readonly post: operations['adminTopUp'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/adjustments': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Correct the balance of an account
     * @description Gives quota or takes it away, with a reason, once under its `Idempotency-Key`, which is required. What is held or owed for cannot be taken: that is 402 `insufficient_quota`. With `dry_run` nothing is changed.
     */
    readonly post: operations['adminAdjust'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/ledger': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read the ledger of an account */
    readonly get: operations['adminListLedger'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/callback-secret/rotate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Rotate the callback secret of an account */
    readonly post: operations['adminRotateSecret'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/status': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read how providers, queues and replicas are doing
     * @description Slots, queues and late work come from the tables. What a replica alone knows (its version, its configuration in force and the one that it refused last, its calls, its view of circuit breakers) is what each one said within the last ten seconds. Read at most once a second, however many ask.
     */
    readonly get: operations['adminReadStatus'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/queues': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Count the jobs in the queues */
    readonly get: operations['adminListQueues'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/routes/gone': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the routes whose vendors say that they have no such model
     * @description New tasks are kept from them, and those that wait there go to their other routes.
     */
    readonly get: operations['adminListGoneRoutes'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/routes/retry': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send tasks on a route again whose vendor had no such model
     * @description Takes effect within seconds on every replica. Retrying a route that is not left out changes nothing.
     */
    readonly post: operations['adminRetryRoute'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/margin': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read what videos brought in and what vendors asked for them
     * @description One item for each day, model and provider, by the day on which the vendor’s work ended, and one by one the work that nobody is billed for. Text is not part of it.
     */
    readonly get: operations['adminReadMargin'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/exposures': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List vendor work that nobody is billed for
     * @description One by one, with whose it was and how it was found. Old ones are kept as sums by day, which `/admin/v1/billing/verify` and `/admin/v1/margin` count.
     */
    readonly get: operations['adminListExposures'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/billing/verify': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Verify the ledger */
    readonly get: operations['adminVerifyBilling'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/tasks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** List the tasks of all accounts */
    readonly get: operations['adminListTasks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Follow what happens to the tasks of all accounts
     * @description With `Accept: text/event-stream`, a stream that does not end by itself: one event for each status of any task, with the task as its operator sees it. It begins with `ready` and up to a thousand of the last events, or where `Last-Event-ID` says. After `reset` read your lists again: too much has happened meanwhile. Otherwise JSON: what happened behind `after`, and where to go on. Either way an event may come more than once: by `task.id` and `sequence` it is the same. The stream ends when the session that opened it does.
     */
    readonly get: operations['adminListEvents'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/videos/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read everything about a task
     * @description Where it stands, the statuses it took, its tries, its hold, its callback and its exposure; not what its customer wrote. Archived tasks and deleted ones whose rows still exist, too.
     */
    readonly get: operations['adminGetTask'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/videos/{id}/cancel': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Cancel the task of a customer
     * @description As the customer’s own cancellation: a task that no vendor was asked for ends at once, for any other its vendor is asked, and nothing is charged for a cancelled one. Journaled.
     */
    readonly post: operations['adminCancelTask'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/journal': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read what operators changed
     * @description Changes of accounts and keys, cancellations of tasks and redeliveries, over HTTP and on the command line alike, each with what was asked for.
     */
    readonly get: operations['adminReadJournal'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/videos/{id}/callbacks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read the delivery log of a task */
    readonly get: operations['adminListCallbacks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/videos/{id}/callbacks/redeliver': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Deliver the newest status again
     * @description Journaled.
     */
    readonly post: operations['adminRedeliver'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/videos/{id}/tries': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read what a task was sent to its vendors
     * @description One for each route that the task was handed to. A task that was never sent has none.
     */
    readonly get: operations['adminListTries'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/accounts/{id}/usage': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Read the usage of an account by day, model and key */
    readonly get: operations['adminListUsage'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/callbacks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List where the callbacks of all accounts stand
     * @description A page looks through 100 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got. Of one account it is the list that its owner sees. Of all accounts, failing and stopped ones are looked for among those alone that are in trouble, and deleted tasks whose rows still exist are in the list. Archived ones never are.
     */
    readonly get: operations['adminListAllCallbacks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/admin/v1/callbacks/redeliver': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Deliver the newest status of many tasks again
     * @description Takes those of the next hundred tasks that are in this state, of all accounts or of one: repeat it with `after: last_id` while `has_more`. With `dry_run` it only says which. Repeating it does no harm. One request at a time. Each redelivery is journaled.
     */
    readonly post: operations['adminRedeliverMany'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export interface webhooks {
  readonly callbackChallenge: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Verify a callback address
     * @description Answer within 3 seconds. A wrong answer is final: the task goes on without pushes.
     */
    readonly post: operations['callbackChallenge'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly callbackTest: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Receive a test event
     * @description Sent by `POST /v1/callbacks/test` alone, once.
     */
    readonly post: operations['callbackTest'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly videoStatusChanged: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Receive each status of a task
     * @description The task as `GET /v1/videos/{id}` returns it for that status. Statuses of one task come in their order; a message may come twice, under the same `webhook-id`. Answer first and work later.
     */
    readonly post: operations['videoStatusChanged'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export interface components {
  schemas: {
    /**
     * @description For programs to branch on. More may be added.
     *
     *     `invalid_json`: The body is not JSON. Send one JSON object in UTF-8.
     *
     *     `invalid_parameter`: A field has a value that is not allowed. The message names the field and says what would be right.
     *
     *     `malformed_request`: The request is not valid HTTP. Check the proxies between you and the gateway.
     *
     *     `unknown_parameter`: The request has an unknown field. Check its spelling; unknown fields are rejected so that a typo costs nothing.
     *
     *     `missing_parameter`: A required field is missing.
     *
     *     `mixed_formats`: `content` was sent together with `prompt` or `references`. Use one of the two formats.
     *
     *     `conflicting_aliases`: Both names of an alias pair were sent (`ratio`/`aspect_ratio`, `watermark`/`aigc_watermark`). Send one.
     *
     *     `previous_response_not_found`: No response with this `previous_response_id` is kept for your account: it expired, was deleted, was sent with `store: false`, or this gateway keeps none. Send the whole conversation as `input`.
     *
     *     `unsupported_parameter`: The model cannot honour this field or value, or the operator does not pass it on because it costs extra or picks another tenant at the vendor. Leave it out or choose another model.
     *
     *     `invalid_callback_url`: The gateway cannot push to this `callback_url`. It must be https and public, without credentials or a fragment.
     *
     *     `context_length_exceeded`: The prompt is longer than the model accepts.
     *
     *     `missing_api_key`: The request has no API key. Send `Authorization: Bearer <API_KEY>` or `x-api-key`.
     *
     *     `invalid_api_key`: The API key is unknown or was revoked.
     *
     *     `expired_api_key`: The API key has expired. Ask for a new one.
     *
     *     `invalid_admin_token`: The admin token is missing or wrong. Send `Authorization: Bearer <ADMIN_TOKEN>` on `/admin/v1`; an API key does not open it.
     *
     *     `invalid_session`: The session of the cookie has ended: it was closed, was unused for too long or is over its time. Sign in again.
     *
     *     `missing_token`: The media address lacks its `token`. Read the task again and use the whole address.
     *
     *     `insufficient_quota`: The account has less quota available than this request reserves, or than an adjustment takes. The message states both figures.
     *
     *     `scope_missing`: The API key lacks the scope this route needs.
     *
     *     `foreign_page`: A session cookie counts for pages of the gateway itself, which send `x-gateway-console: 1` with whatever changes something. Programs use an API key.
     *
     *     `origin_not_allowed`: A page of this origin may not use this route. The operator allows origins in `CORS_ORIGINS`.
     *
     *     `account_suspended`: The operator has suspended this account: it begins no new work. Running videos finish, and tasks, files and bills can be read. Ask the operator.
     *
     *     `model_not_allowed`: The API key may not use this model.
     *
     *     `invalid_token`: The media token does not belong to this address. Read the task again for a fresh address.
     *
     *     `token_expired`: The media token has expired. Read the task again for a fresh address.
     *
     *     `account_not_found`: No such account (administration only).
     *
     *     `key_not_found`: No such API key, or it is not this account’s.
     *
     *     `session_not_found`: No such session of this key, or the request was made without one.
     *
     *     `task_not_found`: No such task in this account.
     *
     *     `model_not_found`: No such model; the message lists the models.
     *
     *     `item_not_found`: An item that `input` refers to is not kept for your account: it expired, was deleted, or came with `store: false`. Send the item itself.
     *
     *     `asset_not_found`: No such asset in this account.
     *
     *     `endpoint_not_found`: No such endpoint in this account.
     *
     *     `content_not_ready`: The task has no such file (yet): it is not finished, or the file was not requested.
     *
     *     `route_not_found`: No such route.
     *
     *     `method_not_allowed`: The route exists, but not with this method; `Allow` lists those it accepts.
     *
     *     `request_timeout`: The request took too long to arrive. Send it again over a faster connection.
     *
     *     `payload_too_large`: The body is larger than the route accepts.
     *
     *     `unsupported_media_type`: The body is not `application/json` in UTF-8, or the file is not of a type that assets may have.
     *
     *     `range_not_satisfiable`: The requested range is outside the file; `Content-Range` gives its size.
     *
     *     `precondition_failed`: `If-Match` or `If-Unmodified-Since` does not match the file.
     *
     *     `expectation_failed`: The request’s `Expect` header asks for something other than `100-continue`. Leave it out.
     *
     *     `headers_too_large`: The headers of the request exceed 16 KiB in total. Send fewer or shorter ones.
     *
     *     `idempotency_key_reused`: This `Idempotency-Key` was used in the last 24 hours with another body, or for a task that has been deleted; or, at any time, for another top-up or adjustment.
     *
     *     `receipt_unavailable`: There are receipts of succeeded videos only, and only where the operator has set `RECEIPT_KEYS`. The message says which it is.
     *
     *     `not_cancellable`: The task has ended, or the vendor has it and can no longer cancel it.
     *
     *     `task_not_terminal`: Only a finished task can be deleted. Cancel it first, or wait.
     *
     *     `no_callback`: The task was created without `callback_url`, or is archived: there is nothing to deliver.
     *
     *     `asset_quota_exceeded`: The account’s assets would exceed the bytes it may store. Delete assets that you no longer need.
     *
     *     `content_purged`: The file was removed after its retention period.
     *
     *     `rate_limit_exceeded`: Too many requests. Wait for as long as `retry-after` says.
     *
     *     `endpoint_exists`: The account has an endpoint with this address already. Change that one.
     *
     *     `too_many_endpoints`: The account has as many endpoints as it may have. Delete some, or ask the operator.
     *
     *     `too_many_keys`: The account has as many valid keys as it may make itself, or made as many within a day. Revoke some, or ask the operator.
     *
     *     `too_many_tasks`: The account has reached its limit of unfinished tasks. Wait for one to finish.
     *
     *     `internal`: Something went wrong on our side. Quote the request id.
     *
     *     `overloaded`: The gateway has as much of this under way as it takes: bodies that fill its memory, or requests of one account that wait for each other. Nothing was done. Try again after `retry-after`.
     *
     *     `outcome_unknown`: A store of the gateway fell silent in the middle, and nobody can tell yet whether the video was created. The message names it: read it, or repeat the request with the same `Idempotency-Key`; without a key a repetition may make a second video.
     *
     *     `upstream_error`: The vendor failed.
     *
     *     `upstream_unavailable`: The vendor, or a store of the gateway, cannot be reached right now. Try again.
     *
     *     `billing_unavailable`: The reservation could not be made, or a finished task is not settled yet; nothing was changed. Try again.
     *
     *     `upstream_timeout`: The vendor did not respond in time.
     */
    readonly ErrorCode: string;
    readonly ErrorDetail: {
      /** @description JSON path of the field, or null. */
      readonly param: string | null;
      readonly message: string;
    };
    /**
     * @example {
     *       "error": {
     *         "message": "duration must be an integer between 4 and 15; got \"5\"",
     *         "type": "invalid_request_error",
     *         "code": "invalid_parameter",
     *         "param": "duration",
     *         "details": [
     *           {
     *             "param": "duration",
     *             "message": "duration must be an integer between 4 and 15; got \"5\""
     *           }
     *         ]
     *       }
     *     }
     */
    readonly Error: {
      readonly error: {
        /** @description For people: names the field, what it must be, and what was sent. */
        readonly message: string;
        /** @enum {string} */
        readonly type:
          | 'invalid_request_error'
          | 'authentication_error'
          | 'quota_error'
          | 'permission_error'
          | 'not_found_error'
          | 'conflict_error'
          | 'rate_limit_error'
          | 'internal_error'
          | 'upstream_error';
        readonly code: components['schemas']['ErrorCode'];
        /** @description JSON path of the field, or null. */
        readonly param: string | null;
        /** @description Every violation in an invalid request. */
        readonly details?: readonly components['schemas']['ErrorDetail'][];
      };
    };
    /**
     * @description Must be one of image, video, audio.
     * @enum {string}
     */
    readonly MediaKind: 'image' | 'video' | 'audio';
    /**
     * @description Must be one of reference_image, reference_video, reference_audio, first_frame, last_frame.
     * @enum {string}
     */
    readonly ReferenceRole:
      'reference_image' | 'reference_video' | 'reference_audio' | 'first_frame' | 'last_frame';
    /** @description Must be an object with type, role and url. */
    readonly VideoReference: {
      readonly type: components['schemas']['MediaKind'];
      readonly role?: components['schemas']['ReferenceRole'];
      /** @description Must be a URL, a data: URL, an asset id or the id of a video. */
      readonly url: string;
    };
    readonly TextItem: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'text';
      /** @description Must be a non-empty string. */
      readonly text: string;
    };
    /** @description Must be an object with either url or asset_id. */
    readonly MediaLocator: {
      /** @description Must be a URL, a data: URL, an asset id or the id of a video. */
      readonly url?: string;
      /** @description Must be an asset id. */
      readonly asset_id?: string;
    };
    readonly ImageItem: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'image_url';
      readonly image_url: components['schemas']['MediaLocator'];
      readonly role?: components['schemas']['ReferenceRole'];
    };
    readonly VideoItem: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'video_url';
      readonly video_url: components['schemas']['MediaLocator'];
      readonly role?: components['schemas']['ReferenceRole'];
    };
    readonly AudioItem: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'audio_url';
      readonly audio_url: components['schemas']['MediaLocator'];
      readonly role?: components['schemas']['ReferenceRole'];
    };
    /** @description Must be an object whose type is text, image_url, video_url or audio_url. */
    readonly VideoContentItem:
      | components['schemas']['TextItem']
      | components['schemas']['ImageItem']
      | components['schemas']['VideoItem']
      | components['schemas']['AudioItem'];
    /**
     * @description Must be one of standard, flex.
     * @enum {string}
     */
    readonly ServiceTier: 'standard' | 'flex';
    /**
     * @description Must be one of extend, edit.
     * @enum {string}
     */
    readonly VideoTask: 'extend' | 'edit';
    /** @description Must be a JSON object. */
    readonly VideoRequest: {
      /** @description Must be the id of a video model. */
      readonly model: string;
      /** @description Must be a string. */
      readonly prompt?: string;
      /** @description Must be an array of at most 64 references. */
      readonly references?: readonly components['schemas']['VideoReference'][];
      /** @description Must be an array of 1 to 65 items. */
      readonly content?: readonly components['schemas']['VideoContentItem'][];
      /** @description Must be a ratio such as "16:9". */
      readonly ratio?: string;
      /** @description Must be a ratio such as "16:9". */
      readonly aspect_ratio?: string;
      /** @description Must be an integer. */
      readonly duration?: number;
      /** @description Must be a resolution such as "720p". */
      readonly resolution?: string;
      /** @description Must be true or false. */
      readonly watermark?: boolean;
      /** @description Must be true or false. */
      readonly aigc_watermark?: boolean;
      /** @description Must be an integer between -1 and 4294967295. */
      readonly seed?: number;
      /** @description Must be true or false. */
      readonly generate_audio?: boolean;
      /** @description Must be true or false. */
      readonly return_last_frame?: boolean;
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description Must be true or false. */
      readonly draft?: boolean;
      /** @description Must be an integer between 0 and 9. */
      readonly priority?: number;
      readonly task?: components['schemas']['VideoTask'];
      /** @description Must be a URL. */
      readonly callback_url?: string;
      /** @description Must be an object of at most 16 string pairs, names at most 64 characters. */
      readonly metadata?: {
        readonly [key: string]: string;
      };
    };
    /** @description One line of what a video costs. */
    readonly PriceItem: {
      /** @enum {string} */
      readonly kind:
        | 'output_second'
        | 'clip'
        | 'audio_second'
        | 'input_second_video'
        | 'input_second_audio'
        | 'reference_image'
        | 'reference_video'
        | 'reference_audio'
        | 'token'
        | 'factor_flex'
        | 'factor_draft'
        | 'minimum';
      /** @description Seconds, references, videos or tokens, as `kind` says. */
      readonly quantity: number;
      /** @description Quota for one; negative where a factor takes something away. */
      readonly unit_quota: number;
      /** @description quantity × unit_quota. */
      readonly quota: number;
    };
    /** @description What is reserved, in quota. */
    readonly VideoReservation: {
      /** @constant */
      readonly billing_mode: 'per_second';
      /** @description Quota for each second of output, frozen at creation; 0 where whole lengths are sold. */
      readonly second_quota: number;
      /** @description Seconds reserved at creation. */
      readonly reserved_duration_seconds: number;
      /** @description Quota reserved at creation; no more is ever billed. */
      readonly max_billing_quota: number;
      /** @description What max_billing_quota is the sum of; only where that is not reserved_duration_seconds × second_quota. */
      readonly items?: readonly components['schemas']['PriceItem'][];
    };
    /** @description Your own names and values, as sent at creation. */
    readonly Metadata: {
      readonly [key: string]: string;
    };
    readonly RequestedReference: {
      readonly type: components['schemas']['MediaKind'];
      readonly role: components['schemas']['ReferenceRole'];
      /** @description An address, or the id of an asset or a video, as it was given; null for bytes that came inside the request. */
      readonly url: string | null;
      /** @description Of bytes that the gateway has. */
      readonly sha256?: string;
      readonly size_bytes?: number;
    };
    readonly RequestedVideo: {
      /** @description Null where the gateway keeps no prompts and the task is over. */
      readonly prompt: string | null;
      readonly references: readonly components['schemas']['RequestedReference'][];
      /** @description Seconds as asked for; -1 where the model decides. */
      readonly duration: number;
      readonly ratio: string;
      readonly resolution: string;
      readonly watermark: boolean;
      readonly seed: number | null;
      readonly generate_audio: boolean;
      readonly return_last_frame: boolean;
      readonly callback_url: string | null;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
    };
    /** @description It waits for the vendor. */
    readonly QueuedVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'queued';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoReservation'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /** @description Position in the vendor’s queue, 1 for the next; only when it is known. */
      readonly queue_position?: number;
    };
    /** @description The vendor is at work. */
    readonly RunningVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'running';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoReservation'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /**
       * Format: date-time
       * @description When the vendor took the task.
       */
      readonly started_at?: string;
    };
    /** @description What was reserved and billed, in quota. */
    readonly VideoBill: {
      /** @constant */
      readonly billing_mode: 'per_second';
      /** @description Quota for each second of output, frozen at creation; 0 where whole lengths are sold. */
      readonly second_quota: number;
      /** @description Seconds reserved at creation. */
      readonly reserved_duration_seconds: number;
      /** @description Quota reserved at creation; no more is ever billed. */
      readonly max_billing_quota: number;
      /** @description What max_billing_quota is the sum of; only where that is not reserved_duration_seconds × second_quota. */
      readonly items?: readonly components['schemas']['PriceItem'][];
      /** @description Seconds billed. */
      readonly billed_duration_seconds: number;
      /** @description Quota billed; 0 unless the task succeeded. */
      readonly billed_quota: number;
      /** @description What billed_quota is the sum of; only where that is not billed_duration_seconds × second_quota. */
      readonly billed_items?: readonly components['schemas']['PriceItem'][];
    };
    /** @description Where the files of a video are. */
    readonly VideoContent: {
      /**
       * Format: uri
       * @description Signed URL of the video. It works for hours, not for ever: read the task again for a fresh one.
       */
      readonly video_url: string;
      /**
       * Format: uri
       * @description Signed URL of the last frame; only where it was asked for.
       */
      readonly last_frame_url?: string;
      /**
       * Format: uri
       * @description Signed URL of a poster: the first frame as a small JPEG, for lists; absent where none could be made.
       */
      readonly poster_url?: string;
    };
    /** @description Tokens as the vendor counted them; 0 where it counts none. */
    readonly VideoUsage: {
      /** @description Tokens of the video. */
      readonly completion_tokens: number;
      /** @description Tokens of the whole request. */
      readonly total_tokens: number;
    };
    /** @description What a C2PA manifest in the file says; its signature is not checked. */
    readonly ContentCredentials: {
      /** @description The program that made the newest claim. */
      readonly generator: string | null;
      /** @description Who signed it, by the name in the certificate. */
      readonly signer: string | null;
    };
    readonly VideoProvenance: {
      readonly c2pa: components['schemas']['ContentCredentials'] | null;
      /** @description The invisible mark that the vendor’s documents say is in every picture. */
      readonly watermark: string | null;
    };
    /** @description The video is there. */
    readonly SucceededVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'succeeded';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoBill'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /**
       * Format: date-time
       * @description When the vendor took the task.
       */
      readonly started_at?: string;
      /**
       * Format: date-time
       * @description When the task came to its end.
       */
      readonly completed_at: string;
      /** @description Absent once the files were removed after their retention. */
      readonly content?: components['schemas']['VideoContent'];
      readonly usage: components['schemas']['VideoUsage'];
      /** @description What the file itself carries about its origin; absent from videos of before it was looked for. */
      readonly provenance?: components['schemas']['VideoProvenance'];
    };
    /** @enum {string} */
    readonly VideoFailureCode:
      | 'invalid_request'
      | 'content_policy'
      | 'no_output'
      | 'output_rejected'
      | 'output_unavailable'
      | 'submission_unknown'
      | 'vendor_error'
      | 'vendor_account'
      | 'vendor_removed'
      | 'expired'
      | 'cancelled';
    /** @description Why the task did not succeed. */
    readonly VideoFailure: {
      /** @description For programs to branch on. */
      readonly code: components['schemas']['VideoFailureCode'];
      /** @description For people. */
      readonly message: string;
    };
    /** @description There will be no video; nothing is billed. */
    readonly FailedVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'failed';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoBill'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /**
       * Format: date-time
       * @description When the vendor took the task.
       */
      readonly started_at?: string;
      /**
       * Format: date-time
       * @description When the task came to its end.
       */
      readonly completed_at: string;
      readonly error: components['schemas']['VideoFailure'];
    };
    /** @description It took too long; nothing is billed. */
    readonly ExpiredVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'expired';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoBill'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /**
       * Format: date-time
       * @description When the vendor took the task.
       */
      readonly started_at?: string;
      /**
       * Format: date-time
       * @description When the task came to its end.
       */
      readonly completed_at: string;
      readonly error: components['schemas']['VideoFailure'];
    };
    /** @description You cancelled it; nothing is billed. */
    readonly CancelledVideo: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video';
      /** @description Id of the model. */
      readonly model: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly status: 'cancelled';
      /** @description Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded. */
      readonly duration: number;
      /** @description Width to height, such as `16:9`. */
      readonly ratio: string;
      /** @description The same as `ratio`. */
      readonly aspect_ratio: string;
      /** @description Such as `720p`. */
      readonly resolution: string;
      /** @description Null: nobody chose one, and the vendor names none. */
      readonly seed: number | null;
      /** @description Whether the video has sound. */
      readonly generate_audio: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When an unfinished task is given up.
       */
      readonly expires_at: string;
      readonly portal_billing: components['schemas']['VideoBill'];
      readonly metadata: components['schemas']['Metadata'];
      /** @description What was asked for; only with `include=request`. */
      readonly request?: components['schemas']['RequestedVideo'];
      /**
       * Format: date-time
       * @description When the vendor took the task.
       */
      readonly started_at?: string;
      /**
       * Format: date-time
       * @description When the task came to its end.
       */
      readonly completed_at: string;
      readonly error: components['schemas']['VideoFailure'];
    };
    /**
     * @description A video task. `status` says which fields it has.
     * @example {
     *       "id": "video_01m7z1vegze4b97z2xd0j0rnt8",
     *       "object": "video",
     *       "model": "sandbox-video",
     *       "status": "succeeded",
     *       "duration": 5,
     *       "ratio": "16:9",
     *       "aspect_ratio": "16:9",
     *       "resolution": "720p",
     *       "seed": 7,
     *       "generate_audio": false,
     *       "created_at": "2026-11-21T10:00:00.000Z",
     *       "started_at": "2026-11-21T10:00:01.204Z",
     *       "completed_at": "2026-11-21T10:00:31.377Z",
     *       "expires_at": "2026-11-21T11:00:00.000Z",
     *       "content": {
     *         "video_url": "https://gateway.example/v1/videos/video_01m7z1vegze4b97z2xd0j0rnt8/content?token=v1.k1.aXQ",
     *         "last_frame_url": "https://gateway.example/v1/videos/video_01m7z1vegze4b97z2xd0j0rnt8/last-frame?token=v1.k1.aXQ",
     *         "poster_url": "https://gateway.example/v1/videos/video_01m7z1vegze4b97z2xd0j0rnt8/poster?token=v1.k1.aXQ"
     *       },
     *       "usage": {
     *         "completion_tokens": 108900,
     *         "total_tokens": 108900
     *       },
     *       "portal_billing": {
     *         "billing_mode": "per_second",
     *         "second_quota": 100,
     *         "reserved_duration_seconds": 5,
     *         "max_billing_quota": 500,
     *         "billed_duration_seconds": 5,
     *         "billed_quota": 500
     *       },
     *       "metadata": {
     *         "order": "17"
     *       }
     *     }
     */
    readonly Video:
      | components['schemas']['QueuedVideo']
      | components['schemas']['RunningVideo']
      | components['schemas']['SucceededVideo']
      | components['schemas']['FailedVideo']
      | components['schemas']['ExpiredVideo']
      | components['schemas']['CancelledVideo'];
    readonly VideoList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Video'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly VideoDeleted: {
      readonly id: string;
      /** @constant */
      readonly object: 'video.deleted';
      /** @constant */
      readonly deleted: true;
    };
    /**
     * @example {
     *       "object": "video.quote",
     *       "model": "sandbox-video",
     *       "duration": 5,
     *       "ratio": "16:9",
     *       "aspect_ratio": "16:9",
     *       "resolution": "720p",
     *       "seed": null,
     *       "watermark": false,
     *       "generate_audio": false,
     *       "return_last_frame": false,
     *       "metadata": {},
     *       "portal_billing": {
     *         "billing_mode": "per_second",
     *         "second_quota": 100,
     *         "reserved_duration_seconds": 5,
     *         "max_billing_quota": 500
     *       },
     *       "balance": 9500,
     *       "affordable": true
     *     }
     */
    readonly VideoQuote: {
      /** @constant */
      readonly object: 'video.quote';
      readonly model: string;
      readonly duration: number;
      readonly ratio: string;
      readonly aspect_ratio: string;
      readonly resolution: string;
      readonly seed: number | null;
      readonly watermark: boolean;
      readonly generate_audio: boolean;
      readonly return_last_frame: boolean;
      /** @description As sent at creation; only where it was. */
      readonly service_tier?: components['schemas']['ServiceTier'];
      /** @description As sent at creation; only where it was. */
      readonly draft?: boolean;
      /** @description As sent at creation; only where it was. Larger is sooner. */
      readonly priority?: number;
      /** @description What is done to the source video; only where it was sent. */
      readonly task?: components['schemas']['VideoTask'];
      readonly metadata: components['schemas']['Metadata'];
      readonly portal_billing: components['schemas']['VideoReservation'];
      /** @description Quota available to the account. */
      readonly balance: number;
      readonly affordable: boolean;
    };
    /**
     * @description Where a task is; the last four are final.
     * @enum {string}
     */
    readonly VideoStatus: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
    readonly VideoEvent: {
      /** @constant */
      readonly object: 'video.event';
      readonly sequence: number;
      readonly status: components['schemas']['VideoStatus'];
      /** Format: date-time */
      readonly created_at: string;
    };
    readonly VideoEventList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['VideoEvent'][];
      /** @constant */
      readonly has_more: false;
    };
    /**
     * @example {
     *       "id": "asset_01m7z1vegze4b97z2xd0j0rnt8",
     *       "object": "asset",
     *       "kind": "image",
     *       "content_type": "image/png",
     *       "size_bytes": 70,
     *       "sha256": "ebf4f635a17d10d6eb46ba680b70142419aa3220f228001a036d311a22ee9d2a",
     *       "width": 1,
     *       "height": 1,
     *       "name": "cat.png",
     *       "created_at": "2026-11-21T10:00:00.000Z"
     *     }
     */
    readonly Asset: {
      readonly id: string;
      /** @constant */
      readonly object: 'asset';
      readonly kind: components['schemas']['MediaKind'];
      readonly content_type: string;
      readonly size_bytes: number;
      readonly sha256: string;
      readonly width: number | null;
      readonly height: number | null;
      /** @description Only for video and audio. */
      readonly duration_seconds?: number;
      readonly name: string | null;
      /** Format: date-time */
      readonly created_at: string;
    };
    readonly AssetList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Asset'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly AssetDeleted: {
      readonly id: string;
      /** @constant */
      readonly object: 'asset.deleted';
      /** @constant */
      readonly deleted: true;
    };
    /** @enum {string} */
    readonly CallbackPushing: 'pending_verification' | 'verified' | 'unverified' | 'stopped';
    /** @enum {string} */
    readonly CallbackStopReason: 'gone' | 'blocked' | 'mismatch' | 'exhausted';
    /** @enum {string} */
    readonly CallbackOutcome:
      | 'success'
      | 'redirect_not_followed'
      | 'gone'
      | 'http_error'
      | 'mismatch'
      | 'dns_error'
      | 'connection_refused'
      | 'connection_reset'
      | 'tls_error'
      | 'timeout_lookup'
      | 'timeout_connect'
      | 'timeout_tls'
      | 'timeout_response'
      | 'timeout_total'
      | 'blocked_address'
      | 'invalid_answer'
      | 'network_error';
    readonly Callback: {
      readonly state: components['schemas']['CallbackPushing'];
      readonly reason: components['schemas']['CallbackStopReason'] | null;
      /** @description Failed attempts in a row. */
      readonly failures: number;
      /** @description Pushes not delivered yet. */
      readonly pending: number;
      readonly delivered_sequence: number | null;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      readonly last_outcome: components['schemas']['CallbackOutcome'] | null;
      readonly last_status: number | null;
      /** Format: date-time */
      readonly next_attempt_at: string | null;
    };
    readonly CallbackAttempt: {
      readonly id: string;
      /** @constant */
      readonly object: 'callback_attempt';
      /** @description Id of the endpoint it went to; null: to the `callback_url` of the task. */
      readonly endpoint_id: string | null;
      /** @enum {string} */
      readonly event: 'callback.challenge' | 'video.status_changed';
      readonly sequence: number | null;
      readonly status: components['schemas']['VideoStatus'] | null;
      /** @description The `webhook-id` it was sent with. */
      readonly message_id: string;
      readonly attempt: number;
      /** @enum {string} */
      readonly trigger: 'auto' | 'manual';
      /** Format: date-time */
      readonly started_at: string;
      readonly duration_ms: number;
      readonly outcome: components['schemas']['CallbackOutcome'];
      readonly http_status: number | null;
      readonly detail: string | null;
      /** @description The beginning of the receiver’s response. */
      readonly answer: string | null;
      /** Format: date-time */
      readonly next_attempt_at: string | null;
    };
    readonly CallbackAttemptList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['CallbackAttempt'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
      /** @description Null when the task has no `callback_url`. */
      readonly callback: components['schemas']['Callback'] | null;
      /** @description The same of the endpoints of the account that statuses of the task were for. */
      readonly endpoints: readonly components['schemas']['EndpointCallback'][];
    };
    readonly AdminCallbackAttemptList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        readonly id: string;
        /** @constant */
        readonly object: 'callback_attempt';
        /** @description Id of the endpoint it went to; null: to the `callback_url` of the task. */
        readonly endpoint_id: string | null;
        /** @enum {string} */
        readonly event: 'callback.challenge' | 'video.status_changed';
        readonly sequence: number | null;
        readonly status: components['schemas']['VideoStatus'] | null;
        /** @description The `webhook-id` it was sent with. */
        readonly message_id: string;
        readonly attempt: number;
        /** @enum {string} */
        readonly trigger: 'auto' | 'manual';
        /** Format: date-time */
        readonly started_at: string;
        readonly duration_ms: number;
        readonly outcome: components['schemas']['CallbackOutcome'];
        readonly http_status: number | null;
        readonly detail: string | null;
        /** @description The beginning of the receiver’s response. */
        readonly answer: string | null;
        /** Format: date-time */
        readonly next_attempt_at: string | null;
        /** @description The address that was reached. */
        readonly remote_address: string | null;
      }[];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
      /** @description Null when the task has no `callback_url`. */
      readonly callback: components['schemas']['Callback'] | null;
      /** @description The same of the endpoints of the account that statuses of the task were for. */
      readonly endpoints: readonly components['schemas']['EndpointCallback'][];
    };
    readonly EndpointCallback: {
      /** @description Id of the endpoint. */
      readonly endpoint_id: string;
      /** @description Null when the endpoint was deleted. */
      readonly url: string | null;
      readonly state: components['schemas']['CallbackPushing'];
      readonly reason: components['schemas']['CallbackStopReason'] | null;
      /** @description Failed attempts in a row. */
      readonly failures: number;
      /** @description Pushes not delivered yet. */
      readonly pending: number;
      readonly delivered_sequence: number | null;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      readonly last_outcome: components['schemas']['CallbackOutcome'] | null;
      readonly last_status: number | null;
      /** Format: date-time */
      readonly next_attempt_at: string | null;
    };
    readonly VideoRedelivery: {
      readonly id: string;
      /** @constant */
      readonly object: 'video.redelivery';
      readonly callback: components['schemas']['Callback'];
      /** @description The same of the endpoints of the account that statuses of the task were for. */
      readonly endpoints: readonly components['schemas']['EndpointCallback'][];
    };
    readonly CallbackSecret: {
      /** @constant */
      readonly object: 'callback_secret';
      /** @description Signs every push; null until the first rotation if the account was created without one. */
      readonly secret: string | null;
      /** Format: date-time */
      readonly created_at: string | null;
      /** @description Previous secrets that still sign. */
      readonly previous: readonly {
        /** Format: date-time */
        readonly created_at: string;
        /** Format: date-time */
        readonly expires_at: string | null;
      }[];
    };
    readonly Balance: {
      /** @constant */
      readonly object: 'balance';
      readonly balance_quota: number;
      readonly held_quota: number;
      readonly available_quota: number;
      readonly debt_quota: number;
    };
    /** @enum {string} */
    readonly LedgerEntryKind:
      'top_up' | 'hold' | 'lease' | 'charge' | 'release' | 'debt' | 'adjustment';
    /**
     * @example {
     *       "id": "entry_5c1f0a3be2d94b7786e0c4d2a9f1b350",
     *       "kind": "charge",
     *       "task_id": "video_01m7z1vegze4b97z2xd0j0rnt8",
     *       "quota": 500,
     *       "balance_after": 9500,
     *       "held_after": 0,
     *       "created_at": "2026-11-21T10:00:31.400Z"
     *     }
     */
    readonly LedgerEntry: {
      readonly id: string;
      readonly kind: components['schemas']['LedgerEntryKind'];
      /** @description The task that it is about. */
      readonly task_id: string | null;
      /** @description The amount moved; negative only for an adjustment. */
      readonly quota: number;
      readonly balance_after: number;
      readonly held_after: number;
      /** Format: date-time */
      readonly created_at: string;
    };
    readonly LedgerEntryList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['LedgerEntry'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly UsageDay: {
      /** @constant */
      readonly object: 'usage';
      /** Format: date */
      readonly day: string;
      /**
       * Format: date-time
       * @description When the hour begins; only with `by=hour`.
       */
      readonly hour?: string;
      readonly model: string;
      readonly key_id: string;
      /** @enum {string} */
      readonly kind: 'text' | 'video';
      readonly requests: number;
      readonly input_tokens: number;
      readonly cached_input_tokens: number;
      readonly cache_write_tokens: number;
      /** @description Of `cache_write_tokens`, those written for an hour. */
      readonly cache_write_1h_tokens: number;
      readonly output_tokens: number;
      /** @description Uses of tools that vendors run. */
      readonly server_tool_uses: number;
      readonly estimated_requests: number;
      readonly aborted_requests: number;
      readonly seconds: number;
      /** @description Includes the fractions of a unit that text costs. */
      readonly quota: number;
    };
    readonly UsageList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['UsageDay'][];
      /** Format: date */
      readonly from: string;
      /** Format: date */
      readonly to: string;
    };
    /** @description What `POST /v1/callbacks/test` sends after the challenge. */
    readonly CallbackTestEvent: {
      /** @constant */
      readonly type: 'callback.test';
      /** @description Id of the test. */
      readonly id: string;
      /** Format: date-time */
      readonly created_at: string;
    };
    /** @description Asks an address for its consent, before the first push of each task. */
    readonly CallbackChallenge: {
      /** @constant */
      readonly type: 'url_verification';
      /** @description Send exactly this value back. */
      readonly challenge: string;
    };
    /** @description The consent to be pushed to. */
    readonly CallbackConsent: {
      /** @description The value of the challenge. */
      readonly challenge: string;
    };
    /** @description What text costs, in quota. */
    readonly TextPrice: {
      /** @description For `per` tokens of input. */
      readonly input: number;
      /** @description For `per` tokens of output. */
      readonly output: number;
      /** @description For `per` tokens of input that were read from a cache. */
      readonly cached_input: number;
      /** @description For `per` tokens that were written to a cache. */
      readonly cache_write: number;
      /** @description For `per` tokens that were written to it for an hour. */
      readonly cache_write_1h: number;
      /** @description For one use of each tool that the vendor runs. */
      readonly server_tools: {
        readonly [key: string]: number;
      };
      /** @description What the prices of tokens are multiplied by in each tier. */
      readonly service_tier: {
        readonly [key: string]: number;
      };
      /** @description How many tokens a price is for. */
      readonly per: number;
    };
    readonly TextModel: {
      /** @description The name that requests use. */
      readonly id: string;
      /** @constant */
      readonly object: 'model';
      /** @description Unix time in seconds. */
      readonly created: number;
      readonly owned_by: string;
      /** @constant */
      readonly type: 'model';
      readonly display_name: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description From then on nobody is served with the model.
       */
      readonly retires_at: string | null;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly kind: 'text';
      /** @description Tokens of the context; null: not known. */
      readonly max_input_tokens: number | null;
      /** @description The same as `max_output_tokens`. */
      readonly max_tokens: number | null;
      /** @description Tokens of a completion; null: not known. */
      readonly max_output_tokens: number | null;
      /** @description Null: it is not charged. */
      readonly price: components['schemas']['TextPrice'] | null;
    };
    readonly Choice: {
      readonly allowed: readonly string[];
      /** @description What a request that names none gets. */
      readonly default: string;
    };
    /** @enum {string} */
    readonly VideoOption: 'flex' | 'draft' | 'priority' | 'extend' | 'edit';
    /** @description What a creation may ask of the model. */
    readonly VideoParameters: {
      /** @description Seconds. */
      readonly duration: {
        readonly min: number;
        readonly max: number;
        /** @description What a request that names none gets; -1: the model decides. */
        readonly default: number;
        /** @description Whether -1, the model’s own choice, may be asked for. */
        readonly auto: boolean;
      };
      /** @description Values of `ratio`. */
      readonly ratio: components['schemas']['Choice'];
      /** @description Values of `resolution`. */
      readonly resolution: components['schemas']['Choice'];
      /** @description Most references of each kind. */
      readonly references: {
        readonly image: number;
        readonly video: number;
        readonly audio: number;
      };
      /** @description Frames that a video may be given. */
      readonly frames: readonly ('first_frame' | 'last_frame')[];
      /** @description Fields that the model refuses. */
      readonly unsupported: readonly (
        'seed' | 'watermark' | 'generate_audio' | 'return_last_frame'
      )[];
      /** @description What may be asked for beside the usual: a `service_tier`, `draft`, `priority` or `task`. */
      readonly options: readonly components['schemas']['VideoOption'][];
      readonly prompt_max_characters: number;
    };
    /** @description What a video costs, in quota: the sum of all that is given. What is absent costs nothing. */
    readonly VideoPrice: {
      /** @description For a second of output: one figure, or one for each resolution. */
      readonly second_quota:
        | number
        | {
            readonly [key: string]: number;
          };
      /** @description For a second of output with sound, in addition. */
      readonly audio_second_quota: number;
      /** @description For a second of the references of a kind. */
      readonly input_second?: {
        readonly video?: number;
        readonly audio?: number;
      };
      /** @description Seconds of a reference whose length cannot be read; absent: it must be readable. */
      readonly input_second_assumed?: number;
      /** @description For a reference of a kind, frames included. */
      readonly reference?: {
        readonly image?: number;
        readonly video?: number;
        readonly audio?: number;
      };
      /** @description For a whole video, by its length in seconds. */
      readonly clip?: {
        readonly [key: string]: number;
      };
      /** @description The least that a video costs. */
      readonly minimum?: number;
      /** @description What the sum is multiplied by, by the way in which a video is made. */
      readonly factor?: {
        readonly flex?: number;
        readonly draft?: number;
      };
    };
    readonly VideoModel: {
      /** @description The name that requests use. */
      readonly id: string;
      /** @constant */
      readonly object: 'model';
      /** @description Unix time in seconds. */
      readonly created: number;
      readonly owned_by: string;
      /** @constant */
      readonly type: 'model';
      readonly display_name: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description From then on nobody is served with the model.
       */
      readonly retires_at: string | null;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly kind: 'video';
      readonly parameters: components['schemas']['VideoParameters'];
      readonly price: components['schemas']['VideoPrice'];
    };
    /** @description A model that the key may use. `kind` says what it makes. */
    readonly Model: components['schemas']['TextModel'] | components['schemas']['VideoModel'];
    readonly ModelList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Model'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    /** @description Must be a JSON object, such as {"overlap_seconds": 86400}, or left out. */
    readonly SecretRotation: {
      /** @description Must be an integer between 0 and 604800. */
      readonly overlap_seconds?: number;
    };
    readonly Session: {
      readonly id: string;
      /** @constant */
      readonly object: 'session';
      /** @description How its browser named itself when it signed in. */
      readonly user_agent: string | null;
      /** @description Whether it is the session of this request. */
      readonly current: boolean;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description To the minute; a session that is unused for two hours ends.
       */
      readonly last_used_at: string;
      /** Format: date-time */
      readonly expires_at: string;
    };
    /** @enum {string} */
    readonly KeyScope:
      'videos:write' | 'videos:read' | 'text' | 'billing:read' | 'secrets:read' | 'keys:write';
    readonly CurrentSession: {
      readonly id: string;
      /** @constant */
      readonly object: 'session';
      /** @description How its browser named itself when it signed in. */
      readonly user_agent: string | null;
      /** @description Whether it is the session of this request. */
      readonly current: boolean;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description To the minute; a session that is unused for two hours ends.
       */
      readonly last_used_at: string;
      /** Format: date-time */
      readonly expires_at: string;
      readonly account_id: string;
      readonly key_id: string;
      readonly scopes: readonly components['schemas']['KeyScope'][];
      /** @description Null: every model. */
      readonly models: readonly string[] | null;
      /** @description Whether the account may begin no new work. */
      readonly suspended: boolean;
    };
    readonly SessionList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Session'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly SessionDeleted: {
      readonly id: string;
      /** @constant */
      readonly object: 'session.deleted';
      /** @constant */
      readonly deleted: true;
    };
    readonly AccountEvent: {
      /** @constant */
      readonly object: 'video.event';
      readonly sequence: number;
      readonly status: components['schemas']['VideoStatus'];
      /** Format: date-time */
      readonly created_at: string;
      readonly video: components['schemas']['Video'];
    };
    readonly AccountEventList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['AccountEvent'][];
      /** @description Pass it as `after` to get what happens from now on. */
      readonly last_id: string;
      /** @description Too much has happened since `after` to be told: read the videos again, and go on from `last_id`. */
      readonly reset: boolean;
      /** @constant */
      readonly has_more: false;
    };
    readonly VideoMoment: {
      /** @constant */
      readonly object: 'video.moment';
      /** @enum {string} */
      readonly name:
        | 'held'
        | 'queued'
        | 'admitted'
        | 'submitted'
        | 'running'
        | 'cancel_requested'
        | 'stored'
        | 'ended'
        | 'charged'
        | 'released'
        | 'pushed'
        | 'files_removed';
      /** Format: date-time */
      readonly at: string;
      /** @description Of `ended` the last status, of `pushed` the status that was delivered; otherwise null. */
      readonly status: components['schemas']['VideoStatus'] | null;
      /** @description Of `held`, `charged` and `released` how much; otherwise null. */
      readonly quota: number | null;
    };
    readonly VideoMomentList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['VideoMoment'][];
      /** @constant */
      readonly has_more: false;
    };
    readonly CallbackTestRequest: {
      /** @description Must be an address of at most 2048 characters. */
      readonly callback_url: string;
    };
    /**
     * @example {
     *       "id": "attempt_01m7z1vegze4b97z2xd0j0rnt8",
     *       "object": "callback.test",
     *       "callback_url": "https://receiver.example/hook",
     *       "delivered": true,
     *       "challenge": {
     *         "outcome": "success",
     *         "http_status": 200,
     *         "duration_ms": 84,
     *         "detail": null,
     *         "answer": "[challenge]"
     *       },
     *       "event": {
     *         "outcome": "success",
     *         "http_status": 204,
     *         "duration_ms": 61,
     *         "detail": null,
     *         "answer": null
     *       }
     *     }
     */
    readonly CallbackTest: {
      readonly id: string;
      /** @constant */
      readonly object: 'callback.test';
      readonly callback_url: string;
      /** @description Whether the test event was answered with a 2xx. */
      readonly delivered: boolean;
      readonly challenge: {
        readonly outcome: components['schemas']['CallbackOutcome'];
        readonly http_status: number | null;
        readonly duration_ms: number;
        /** @description What was wrong; null when nothing was. */
        readonly detail: string | null;
        /** @description The beginning of the response. */
        readonly answer: string | null;
      };
      /** @description Null: not sent, because the challenge failed. */
      readonly event: {
        readonly outcome: components['schemas']['CallbackOutcome'];
        readonly http_status: number | null;
        readonly duration_ms: number;
        /** @description What was wrong; null when nothing was. */
        readonly detail: string | null;
        /** @description The beginning of the response. */
        readonly answer: string | null;
      } | null;
    };
    /**
     * @description Must be one of delivered, pending, failing, stopped.
     * @enum {string}
     */
    readonly DeliveryState: 'delivered' | 'pending' | 'failing' | 'stopped';
    readonly RedeliveryRequest: {
      readonly state: components['schemas']['DeliveryState'];
      /** @description Must be the id of a task, such as video_01h455vb4pex5vsknk084sn02q. */
      readonly after?: string;
      /** @description Must be an integer between 1 and 100. */
      readonly limit?: number;
      /** @description Must be true or false. */
      readonly dry_run?: boolean;
      /** @description Must be the id of an endpoint, such as endpoint_01h455vb4pex5vsknk084sn02q. */
      readonly endpoint?: string;
    };
    readonly TaskCallback: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'video.callback';
      /** @description Where it is pushed to: of the task, or of the endpoint. */
      readonly callback_url: string;
      /** @description Null: the address is the task’s own. */
      readonly endpoint_id: string | null;
      /** @description `delivered`: its address has every status; `failing`: the last attempts failed and more follow; `stopped`: nothing more is tried. */
      readonly state: components['schemas']['DeliveryState'];
      /** @description Why it was stopped. */
      readonly reason: components['schemas']['CallbackStopReason'] | null;
      /** @description Failed attempts in a row. */
      readonly failures: number;
      /** @description Pushes not delivered yet. */
      readonly pending: number;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      readonly last_outcome: components['schemas']['CallbackOutcome'] | null;
      readonly last_status: number | null;
      /** Format: date-time */
      readonly next_attempt_at: string | null;
    };
    readonly TaskCallbackList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['TaskCallback'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly CallbackRedelivery: {
      /** @constant */
      readonly object: 'callback.redelivery';
      readonly dry_run: boolean;
      /** @description Tasks whose newest status is pushed again. */
      readonly redelivered: number;
      readonly video_ids: readonly string[];
      /** @description Pass it as `after` to go on. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly EndpointRequest: {
      /** @description Must be an address of at most 2048 characters. */
      readonly url: string;
      /** @description Must be a list of queued, running, succeeded, failed, expired, cancelled, each once. */
      readonly events?: readonly components['schemas']['VideoStatus'][];
      /** @description Must be a text of up to 200 characters on one line. */
      readonly description?: string | null;
    };
    readonly EndpointPatch: {
      /** @description Must be a list of queued, running, succeeded, failed, expired, cancelled, each once. */
      readonly events?: readonly components['schemas']['VideoStatus'][];
      /** @description Must be a text of up to 200 characters on one line. */
      readonly description?: string | null;
      /** @description Must be true or false. */
      readonly enabled?: boolean;
    };
    /** @enum {string} */
    readonly EndpointState: 'pending' | 'active' | 'failed' | 'disabled';
    readonly Endpoint: {
      readonly id: string;
      /** @constant */
      readonly object: 'endpoint';
      readonly url: string;
      readonly description: string | null;
      /** @description Statuses that are pushed there. */
      readonly events: readonly components['schemas']['VideoStatus'][];
      /** @description `pending`: the challenge was not answered yet; `active`: statuses are pushed; `failed`: the challenge was not answered right; `disabled`: by you. */
      readonly state: components['schemas']['EndpointState'];
      /** @description How the last challenge failed. */
      readonly reason: components['schemas']['CallbackOutcome'] | null;
      /** @description What was wrong. */
      readonly detail: string | null;
      /**
       * Format: date-time
       * @description When the challenge was answered.
       */
      readonly verified_at: string | null;
      /** Format: date-time */
      readonly created_at: string;
    };
    readonly EndpointList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Endpoint'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly EndpointDeleted: {
      readonly id: string;
      /** @constant */
      readonly object: 'endpoint.deleted';
      /** @constant */
      readonly deleted: true;
    };
    readonly AccountRequest: {
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly name: string;
      /** @description Must be a whole number of quota units between 0 and 999999999999999. */
      readonly quota?: number;
    };
    readonly AccountPatchRequest: {
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly name?: string;
      /** @description Must be true or false. */
      readonly suspended?: boolean;
      /** @description Must be an integer between 1 and 1000000; or null for the default. */
      readonly active_videos_limit?: number | null;
    };
    readonly ApiKeyRequest: {
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly name: string;
      /** @description Must be a list of different scopes from videos:write, videos:read, text, billing:read, secrets:read, keys:write, with at least one. */
      readonly scopes?: readonly components['schemas']['KeyScope'][];
      /** @description Must be a list of different names of models, with at least one; or null for every model. */
      readonly models?: readonly string[] | null;
      /** @description Must be an ISO 8601 time with its zone, such as 2027-01-31T12:00:00Z; or null for never. */
      readonly expires_at?: string | null;
      /** @description Must be an integer between 1 and 1000000; or null for the default. */
      readonly requests_per_minute?: number | null;
    };
    readonly ApiKeyPatchRequest: {
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly name?: string;
      /** @description Must be a list of different scopes from videos:write, videos:read, text, billing:read, secrets:read, keys:write, with at least one. */
      readonly scopes?: readonly components['schemas']['KeyScope'][];
      /** @description Must be a list of different names of models, with at least one; or null for every model. */
      readonly models?: readonly string[] | null;
      /** @description Must be an integer between 1 and 1000000; or null for the default. */
      readonly requests_per_minute?: number | null;
    };
    readonly TopUpRequest: {
      /** @description Must be a whole number of quota units between 1 and 999999999999999. */
      readonly quota: number;
      /** @description Must be a text of 1 to 500 characters on one line. */
      readonly note?: string;
    };
    readonly AdjustmentRequest: {
      /** @description Must be a whole number of quota units between -999999999999999 and 999999999999999, and not 0. */
      readonly quota: number;
      /** @description Must be a text of 1 to 500 characters on one line. */
      readonly note: string;
      /** @description Must be the id of a task, such as video_01h455vb4pex5vsknk084sn02q. */
      readonly task_id?: string | null;
      /** @description Must be true or false. */
      readonly dry_run?: boolean;
    };
    readonly RouteRequest: {
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly provider: string;
      /** @description Must be a text of 1 to 200 characters on one line. */
      readonly upstream_model: string;
    };
    readonly Account: {
      readonly id: string;
      /** @constant */
      readonly object: 'account';
      readonly name: string;
      readonly balance_quota: number;
      readonly held_quota: number;
      readonly available_quota: number;
      readonly debt_quota: number;
      /** @description Unfinished tasks. */
      readonly active_videos: number;
      /** @description Unfinished tasks that it may have; null: as `limits.default_account` says. */
      readonly active_videos_limit: number | null;
      readonly active_keys: number;
      /** @description Whether it begins no new work. */
      readonly suspended: boolean;
      /** Format: date-time */
      readonly suspended_at: string | null;
      /** Format: date-time */
      readonly created_at: string;
    };
    readonly AccountList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['Account'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly NewAccount: {
      readonly id: string;
      /** @constant */
      readonly object: 'account';
      readonly name: string;
      readonly balance_quota: number;
      readonly held_quota: number;
      readonly available_quota: number;
      readonly debt_quota: number;
      /** @description Unfinished tasks. */
      readonly active_videos: number;
      /** @description Unfinished tasks that it may have; null: as `limits.default_account` says. */
      readonly active_videos_limit: number | null;
      readonly active_keys: number;
      /** @description Whether it begins no new work. */
      readonly suspended: boolean;
      /** Format: date-time */
      readonly suspended_at: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /** @description Shown only here. */
      readonly callback_secret: string;
    };
    readonly ApiKey: {
      readonly id: string;
      /** @constant */
      readonly object: 'api_key';
      readonly account_id: string;
      readonly name: string;
      readonly prefix: string;
      readonly scopes: readonly components['schemas']['KeyScope'][];
      /** @description Null: every model. */
      readonly models: readonly string[] | null;
      /** @description Null: the configuration’s default. */
      readonly requests_per_minute: number | null;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly expires_at: string | null;
      /** Format: date-time */
      readonly revoked_at: string | null;
      /** Format: date-time */
      readonly last_used_at: string | null;
    };
    readonly ApiKeyList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['ApiKey'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly NewApiKey: {
      readonly id: string;
      /** @constant */
      readonly object: 'api_key';
      readonly account_id: string;
      readonly name: string;
      readonly prefix: string;
      readonly scopes: readonly components['schemas']['KeyScope'][];
      /** @description Null: every model. */
      readonly models: readonly string[] | null;
      /** @description Null: the configuration’s default. */
      readonly requests_per_minute: number | null;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly expires_at: string | null;
      /** Format: date-time */
      readonly revoked_at: string | null;
      /** Format: date-time */
      readonly last_used_at: string | null;
      /** @description The key. Shown only here. */
      readonly api_key: string;
    };
    readonly TopUp: {
      /** @constant */
      readonly object: 'top_up';
      readonly account_id: string;
      readonly quota: number;
      /** @description 0 when the `Idempotency-Key` was used before. */
      readonly added_quota: number;
      readonly balance_quota: number;
      readonly held_quota: number;
      readonly available_quota: number;
      /** @description What text cost beyond what the account had; paid first from its next top-up. */
      readonly debt_quota: number;
    };
    readonly AccountQuota: {
      readonly balance_quota: number;
      readonly held_quota: number;
      readonly available_quota: number;
      /** @description What text cost beyond what the account had; paid first from its next top-up. */
      readonly debt_quota: number;
    };
    readonly Adjustment: {
      /** @constant */
      readonly object: 'adjustment';
      readonly account_id: string;
      /** @description Below zero: what is taken. */
      readonly quota: number;
      /** @description 0 when the `Idempotency-Key` was used before. */
      readonly adjusted_quota: number;
      readonly note: string;
      /** @description The task that it corrects. */
      readonly task_id: string | null;
      /** @description Whether nothing was changed. */
      readonly dry_run: boolean;
      readonly before: components['schemas']['AccountQuota'];
      readonly after: components['schemas']['AccountQuota'];
    };
    readonly AdminLedgerEntryList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        readonly id: string;
        /** @constant */
        readonly object: 'ledger_entry';
        readonly kind: components['schemas']['LedgerEntryKind'];
        readonly task_id: string | null;
        readonly quota: number;
        readonly balance_after: number;
        readonly held_after: number;
        readonly note: string | null;
        /** Format: date-time */
        readonly created_at: string;
      }[];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    /** @enum {string} */
    readonly TaskStep: 'submit' | 'submitting' | 'poll' | 'ingest' | 'late' | 'done';
    readonly AdminTask: {
      readonly id: string;
      /** @constant */
      readonly object: 'admin.task';
      readonly account_id: string;
      readonly request_id: string;
      readonly model: string;
      readonly provider: string;
      readonly vendor_task_id: string | null;
      readonly status: components['schemas']['VideoStatus'];
      readonly step: components['schemas']['TaskStep'];
      /** @description Failures in a row at this step. */
      readonly step_failures: number;
      readonly max_billing_quota: number;
      readonly billed_quota: number | null;
      readonly error: {
        readonly code: components['schemas']['VideoFailureCode'];
        readonly message: string | null;
      } | null;
      /** @description Since its creation. */
      readonly age_seconds: number;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly started_at: string | null;
      /** Format: date-time */
      readonly completed_at: string | null;
      /** Format: date-time */
      readonly expires_at: string;
      /** Format: date-time */
      readonly deleted_at: string | null;
    };
    readonly AdminTaskList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['AdminTask'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly AdminTaskEvent: {
      /** @constant */
      readonly object: 'admin.task_event';
      /** @description Grows with each status of the task. */
      readonly sequence: number;
      /** @description The status that the task took. */
      readonly status: components['schemas']['VideoStatus'];
      /** Format: date-time */
      readonly created_at: string;
      readonly task: components['schemas']['AdminTask'];
    };
    readonly AdminTaskEventList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['AdminTaskEvent'][];
      /** @description Pass it as `after` to get what happens from now on. */
      readonly last_id: string;
      /** @description Too much has happened since `after` to be told: read the tasks again, and go on from `last_id`. */
      readonly reset: boolean;
      /** @constant */
      readonly has_more: false;
    };
    /** @enum {string} */
    readonly ExposureKind:
      'late_success' | 'submission_unknown' | 'orphan' | 'output_lost' | 'watch_ended';
    readonly AdminTaskDetail: {
      readonly id: string;
      /** @constant */
      readonly object: 'admin.task';
      readonly account_id: string;
      readonly request_id: string;
      readonly model: string;
      readonly provider: string;
      readonly vendor_task_id: string | null;
      readonly status: components['schemas']['VideoStatus'];
      readonly step: components['schemas']['TaskStep'];
      /** @description Failures in a row at this step. */
      readonly step_failures: number;
      readonly max_billing_quota: number;
      readonly billed_quota: number | null;
      readonly error: {
        readonly code: components['schemas']['VideoFailureCode'];
        readonly message: string | null;
      } | null;
      /** @description Since its creation. */
      readonly age_seconds: number;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly started_at: string | null;
      /** Format: date-time */
      readonly completed_at: string | null;
      /** Format: date-time */
      readonly expires_at: string;
      /** Format: date-time */
      readonly deleted_at: string | null;
      readonly key_id: string;
      readonly upstream_model: string;
      /**
       * Format: date-time
       * @description When it got its slot at the vendor.
       */
      readonly admitted_at: string | null;
      /**
       * Format: date-time
       * @description When it was sent last.
       */
      readonly submitting_at: string | null;
      /**
       * Format: date-time
       * @description Since when its vendor is to cancel it; null again once the vendor has refused.
       */
      readonly cancel_requested_at: string | null;
      /** @description Whether it lies in the archive. */
      readonly archived: boolean;
      /** @description What was set aside for it, and what of that was charged. */
      readonly hold: {
        readonly quota: number;
        /** @enum {string} */
        readonly state: 'open' | 'closed';
        readonly charged_quota: number | null;
        /** Format: date-time */
        readonly created_at: string;
        /** Format: date-time */
        readonly closed_at: string | null;
      } | null;
      /** @description The statuses it took, oldest first. */
      readonly events: readonly {
        readonly sequence: number;
        readonly status: components['schemas']['VideoStatus'];
        /** Format: date-time */
        readonly at: string;
      }[];
      /** @description What it was sent to its vendors. */
      readonly tries: readonly components['schemas']['AdminTaskTry'][];
      readonly callback: components['schemas']['Callback'] | null;
      /** @description Vendor work for it that nobody is billed for. */
      readonly exposures: readonly {
        readonly kind: components['schemas']['ExposureKind'];
        readonly provider: string;
        readonly vendor_task_id: string | null;
        readonly detail: string;
        /** @description A decimal number; null where it is not known. */
        readonly vendor_cost: string | null;
        readonly vendor_currency: string | null;
        /** Format: date-time */
        readonly created_at: string;
      }[];
    };
    /** @enum {string} */
    readonly CostSource: 'reported' | 'calculated';
    readonly AdminTaskTry: {
      /** @constant */
      readonly object: 'admin.task_try';
      readonly number: number;
      readonly provider: string;
      readonly upstream_model: string;
      readonly vendor_task_id: string | null;
      /** @description How often it was sent; 0 where the task left the route before. */
      readonly submissions: number;
      /**
       * @description Null while it is being sent.
       * @enum {string|null}
       */
      readonly outcome:
        | 'accepted'
        | 'refused'
        | 'not_sent'
        | 'busy'
        | 'unavailable'
        | 'unknown'
        | 'succeeded'
        | 'failed'
        | 'cancelled'
        | 'abandoned'
        | null;
      /** @description What the vendor said. */
      readonly detail: string | null;
      /** @description A decimal number; null while it is not known. */
      readonly vendor_cost: string | null;
      readonly vendor_currency: string | null;
      /** @description Whether the vendor told it, or what it is counted by; or it was calculated. */
      readonly cost_source: components['schemas']['CostSource'] | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When it was sent last.
       */
      readonly submitted_at: string;
      /** Format: date-time */
      readonly accepted_at: string | null;
      /** Format: date-time */
      readonly ended_at: string | null;
      /**
       * @description Why the task went on to another route; null where it did not.
       * @enum {string|null}
       */
      readonly left_because:
        'not_sent' | 'busy' | 'refused' | 'breaker_open' | 'model_gone' | 'failed' | null;
    };
    readonly AdminTaskTryList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['AdminTaskTry'][];
    };
    readonly AdminCallbackSecret: {
      /** @constant */
      readonly object: 'callback_secret';
      /** @description Signs every push; null until the first rotation if the account was created without one. */
      readonly secret: string | null;
      /** Format: date-time */
      readonly created_at: string | null;
      /** @description Previous secrets that still sign. */
      readonly previous: readonly {
        /** Format: date-time */
        readonly created_at: string;
        /** Format: date-time */
        readonly expires_at: string | null;
      }[];
      readonly account_id: string;
    };
    readonly QueueList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        /** @constant */
        readonly object: 'queue';
        readonly name: string;
        readonly waiting: number;
        readonly active: number;
        readonly delayed: number;
        readonly failed: number;
      }[];
    };
    readonly GoneRouteList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        /** @constant */
        readonly object: 'admin.gone_route';
        readonly provider: string;
        readonly upstream_model: string;
        /** Format: date-time */
        readonly since: string;
        /** @description What the vendor said last. */
        readonly detail: string;
        /** @description How often it was asked. */
        readonly refusals: number;
        /**
         * Format: date-time
         * @description No task is sent there before; then one finds out.
         */
        readonly paused_until: string;
      }[];
    };
    readonly OperatorActionList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        readonly id: string;
        /** @constant */
        readonly object: 'admin.action';
        /** Format: date-time */
        readonly at: string;
        /** @enum {string} */
        readonly via: 'api' | 'command';
        /** @enum {string} */
        readonly action: 'account.change' | 'key.change' | 'task.cancel' | 'callback.redeliver';
        readonly account_id: string;
        /** @description The id of what was changed. */
        readonly subject: string;
        /** @description What was asked for. */
        readonly details: Record<string, never>;
      }[];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly RouteRetry: {
      /** @constant */
      readonly object: 'admin.route_retry';
      readonly provider: string;
      readonly upstream_model: string;
      /** @description Whether it was left out until now. */
      readonly was_gone: boolean;
    };
    readonly BillingVerification: {
      /** @constant */
      readonly object: 'billing.verification';
      readonly ok: boolean;
      readonly invariants: readonly string[];
      readonly violations: readonly {
        readonly invariant: string;
        readonly subject: string;
        readonly detail: string;
      }[];
      readonly exposures: {
        readonly late_success: number;
        readonly submission_unknown: number;
        readonly orphan: number;
        readonly output_lost: number;
        readonly watch_ended: number;
      };
    };
    readonly VendorCosts: {
      readonly currency: string;
      /** @description What vendors asked for work that came to its end, as a decimal. */
      readonly cost: string;
      /** @description What they asked, or may have asked, for work that nobody is billed for, as a decimal. */
      readonly exposure: string;
    };
    /**
     * @example {
     *       "object": "list",
     *       "data": [
     *         {
     *           "object": "margin",
     *           "day": "2026-11-21",
     *           "model": "sandbox-video",
     *           "provider": "sandbox",
     *           "videos": 2,
     *           "videos_without_cost": 0,
     *           "revenue_quota": 1000,
     *           "costs": [
     *             {
     *               "currency": "USD",
     *               "cost": "0.7",
     *               "exposure": "0.35"
     *             }
     *           ],
     *           "cost_quota": 525,
     *           "margin_quota": 475
     *         }
     *       ],
     *       "total": {
     *         "videos": 2,
     *         "videos_without_cost": 0,
     *         "revenue_quota": 1000,
     *         "costs": [
     *           {
     *             "currency": "USD",
     *             "cost": "0.7",
     *             "exposure": "0.35"
     *           }
     *         ],
     *         "cost_quota": 525,
     *         "margin_quota": 475
     *       },
     *       "exposures": [
     *         {
     *           "object": "exposure",
     *           "task_id": "video_01m7z1vegze4b97z2xd0j0rnt8",
     *           "kind": "late_success",
     *           "model": "sandbox-video",
     *           "provider": "sandbox",
     *           "vendor_task_id": "cgt-20261121-x7k2p",
     *           "detail": "the vendor finished after the deadline, 5 s, 108900 tokens",
     *           "vendor_cost": "0.35",
     *           "vendor_currency": "USD",
     *           "cost_source": "calculated",
     *           "created_at": "2026-11-21T12:00:00.000Z"
     *         }
     *       ],
     *       "has_more_exposures": false,
     *       "from": "2026-10-23",
     *       "to": "2026-11-21"
     *     }
     */
    readonly MarginReport: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        /** @constant */
        readonly object: 'margin';
        /** Format: date */
        readonly day: string;
        readonly model: string;
        readonly provider: string;
        /** @description Videos that succeeded. */
        readonly videos: number;
        /** @description Of those, the ones whose cost is not known. */
        readonly videos_without_cost: number;
        /** @description What customers were billed. */
        readonly revenue_quota: number;
        readonly costs: readonly components['schemas']['VendorCosts'][];
        /** @description All costs and exposure in quota, rounded up; null without a rate for each of the currencies. */
        readonly cost_quota: number | null;
        /** @description Revenue without costs and exposure; null while not all of that is known. */
        readonly margin_quota: number | null;
      }[];
      readonly total: {
        /** @description Videos that succeeded. */
        readonly videos: number;
        /** @description Of those, the ones whose cost is not known. */
        readonly videos_without_cost: number;
        /** @description What customers were billed. */
        readonly revenue_quota: number;
        readonly costs: readonly components['schemas']['VendorCosts'][];
        /** @description All costs and exposure in quota, rounded up; null without a rate for each of the currencies. */
        readonly cost_quota: number | null;
        /** @description Revenue without costs and exposure; null while not all of that is known. */
        readonly margin_quota: number | null;
      };
      /** @description Newest first, at most 1,000. */
      readonly exposures: readonly {
        /** @constant */
        readonly object: 'exposure';
        readonly task_id: string;
        readonly kind: components['schemas']['ExposureKind'];
        readonly model: string | null;
        readonly provider: string;
        readonly vendor_task_id: string | null;
        readonly detail: string;
        /** @description A decimal number; the most that it can cost while the vendor says nothing. */
        readonly vendor_cost: string | null;
        readonly vendor_currency: string | null;
        readonly cost_source: components['schemas']['CostSource'] | null;
        /** Format: date-time */
        readonly created_at: string;
      }[];
      readonly has_more_exposures: boolean;
      /** Format: date */
      readonly from: string;
      /** Format: date */
      readonly to: string;
    };
    /**
     * @example {
     *       "object": "list",
     *       "data": [
     *         {
     *           "id": "17",
     *           "object": "exposure",
     *           "task_id": "video_01m7z1vegze4b97z2xd0j0rnt8",
     *           "kind": "late_success",
     *           "model": "sandbox-video",
     *           "provider": "sandbox",
     *           "vendor_task_id": "cgt-20261121-1",
     *           "detail": "finished after the deadline",
     *           "vendor_cost": "0.35",
     *           "vendor_currency": "USD",
     *           "cost_source": "calculated",
     *           "created_at": "2026-11-21T08:41:07.000Z",
     *           "account_id": "acct_01m7z1vegze4b97z2xd0j0rnt8",
     *           "seconds": 5
     *         }
     *       ],
     *       "first_id": "17",
     *       "last_id": "17",
     *       "has_more": false
     *     }
     */
    readonly ExposureList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly {
        readonly id: string;
        /** @constant */
        readonly object: 'exposure';
        readonly task_id: string;
        readonly kind: components['schemas']['ExposureKind'];
        readonly model: string | null;
        readonly provider: string;
        readonly vendor_task_id: string | null;
        readonly detail: string;
        /** @description A decimal number; the most that it can cost while the vendor says nothing. */
        readonly vendor_cost: string | null;
        readonly vendor_currency: string | null;
        readonly cost_source: components['schemas']['CostSource'] | null;
        /** Format: date-time */
        readonly created_at: string;
        /** @description Null: not known any more. */
        readonly account_id: string | null;
        /** @description What the vendor said that it made, or else what was asked for; null: not known any more. */
        readonly seconds: number | null;
      }[];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    /**
     * @example {
     *       "object": "admin.status",
     *       "at": "2026-11-21T09:00:00.000Z",
     *       "answered_by": "0b6c2f0e-6d0c-4f6e-9a52-6f1f7c1d2e3f",
     *       "database": {
     *         "version": "16.4",
     *         "migration": "20261125020000_replica_reports"
     *       },
     *       "providers": [
     *         {
     *           "object": "provider",
     *           "provider": "sandbox",
     *           "kind": "ark",
     *           "configured": true,
     *           "slots": {
     *             "taken": 4,
     *             "allowed": 10
     *           },
     *           "queue": {
     *             "waiting": 2,
     *             "oldest_seconds": 3.2
     *           },
     *           "breaker": "closed",
     *           "requests_per_second": {
     *             "used": 1.5,
     *             "allowed": 20
     *           },
     *           "failures": [
     *             {
     *               "outcome": "unavailable",
     *               "count": 3,
     *               "last_at": "2026-11-21T08:41:07.000Z",
     *               "detail": "HTTP 503"
     *             }
     *           ]
     *         }
     *       ],
     *       "text_routes": [
     *         {
     *           "route": "sandbox-chat/sandbox-text",
     *           "breaker": "closed"
     *         }
     *       ],
     *       "work": [
     *         {
     *           "work": "video",
     *           "due": 0,
     *           "oldest_seconds": 0
     *         }
     *       ],
     *       "replicas": [
     *         {
     *           "object": "replica",
     *           "id": "0b6c2f0e-6d0c-4f6e-9a52-6f1f7c1d2e3f",
     *           "service": "api",
     *           "version": "0.1.0",
     *           "started_at": "2026-11-21T08:00:00.000Z",
     *           "seen_at": "2026-11-21T08:59:55.000Z",
     *           "configuration": {
     *             "generation": 2,
     *             "hash": "4f1c0a9be21d",
     *             "since": "2026-11-21T08:30:00.000Z",
     *             "refused": {
     *               "hash": "7a20c4413f0e",
     *               "at": "2026-11-21T08:50:00.000Z",
     *               "problems": [
     *                 "/etc/gateway/gateway.yaml:12 max_concurrent must be at least 1"
     *               ]
     *             }
     *           }
     *         }
     *       ]
     *     }
     */
    readonly AdminStatus: {
      /** @constant */
      readonly object: 'admin.status';
      /** Format: date-time */
      readonly at: string;
      /** @description The replica that answers, one of `replicas`. */
      readonly answered_by: string | null;
      readonly database: {
        readonly version: string;
        /** @description The newest that was applied. */
        readonly migration: string | null;
      };
      readonly providers: readonly {
        /** @constant */
        readonly object: 'provider';
        readonly provider: string;
        readonly kind: string | null;
        /** @description False: not in the configuration of the replica that answers; tasks are still at it. */
        readonly configured: boolean;
        readonly slots: {
          /** @description Tasks that are at the vendor. */
          readonly taken: number;
          readonly allowed: number | null;
        };
        readonly queue: {
          /** @description Tasks that wait for a slot. */
          readonly waiting: number;
          /** @description How long the first of them has waited. */
          readonly oldest_seconds: number;
        };
        /**
         * @description The circuit breaker before it, the worst that any video-worker sees; null: no video-worker says so.
         * @enum {string|null}
         */
        readonly breaker: 'closed' | 'half_open' | 'open' | null;
        readonly requests_per_second: {
          /** @description Calls over the last minute, all video-workers together; null: no video-worker says so. */
          readonly used: number | null;
          readonly allowed: number | null;
        };
        /** @description Tries of the last hour that came to nothing, by class, the newest first. */
        readonly failures: readonly {
          readonly outcome: string;
          readonly count: number;
          /** Format: date-time */
          readonly last_at: string;
          /** @description What the vendor said last. */
          readonly detail: string | null;
        }[];
      }[];
      /** @description Text routes used lately, with the worst state of their circuit breaker that any api sees. */
      readonly text_routes: readonly {
        readonly route: string;
        /** @enum {string} */
        readonly breaker: 'closed' | 'half_open' | 'open';
      }[];
      /** @description How far behind the services are, from the tables. */
      readonly work: readonly {
        readonly work: string;
        readonly due: number;
        /** @description How long the oldest has been due; 0 when nothing is. */
        readonly oldest_seconds: number;
      }[];
      /** @description Processes that were there within the last 45 seconds. */
      readonly replicas: readonly {
        /** @constant */
        readonly object: 'replica';
        readonly id: string;
        readonly service: string;
        readonly version: string;
        /** Format: date-time */
        readonly started_at: string;
        /**
         * Format: date-time
         * @description Each says every ten seconds that it is there.
         */
        readonly seen_at: string;
        /** @description In force there; null for services that have none. */
        readonly configuration: {
          /** @description Versions that it has used since it started, this one included. */
          readonly generation: number;
          /** @description Of the file: equal where the same file is in force. */
          readonly hash: string;
          /** Format: date-time */
          readonly since: string;
          /** @description The version that it refused last, while no later one was taken. */
          readonly refused: {
            readonly hash: string;
            /** Format: date-time */
            readonly at: string;
            /** @description At most 20, each with its line where it has one. */
            readonly problems: readonly string[];
          } | null;
        } | null;
      }[];
    };
    readonly AdminRedeliveryRequest: {
      readonly state: components['schemas']['DeliveryState'];
      /** @description Must be the id of a task, such as video_01h455vb4pex5vsknk084sn02q. */
      readonly after?: string;
      /** @description Must be an integer between 1 and 100. */
      readonly limit?: number;
      /** @description Must be true or false. */
      readonly dry_run?: boolean;
      /** @description Must be the id of an account, such as acct_01h455vb4pex5vsknk084sn02q. */
      readonly account?: string;
    };
    readonly AdminCallback: {
      /** @description Id of the task. */
      readonly id: string;
      /** @constant */
      readonly object: 'admin.callback';
      /** @description `delivered`: its address has every status; `failing`: the last attempts failed and more follow; `stopped`: nothing more is tried. */
      readonly state: components['schemas']['DeliveryState'];
      /** @description Why it was stopped. */
      readonly reason: components['schemas']['CallbackStopReason'] | null;
      /** @description Failed attempts in a row. */
      readonly failures: number;
      /** @description Pushes not delivered yet. */
      readonly pending: number;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      readonly last_outcome: components['schemas']['CallbackOutcome'] | null;
      readonly last_status: number | null;
      /** Format: date-time */
      readonly next_attempt_at: string | null;
      readonly account_id: string;
      /** @description Scheme, host and port of `callback_url`, without its path. */
      readonly origin: string | null;
    };
    readonly AdminCallbackList: {
      /** @constant */
      readonly object: 'list';
      readonly data: readonly components['schemas']['AdminCallback'][];
      /** @description Id of the first item: pass it as `before` for the previous page. */
      readonly first_id: string | null;
      /** @description Id of the last item: pass it as `after` for the next page. */
      readonly last_id: string | null;
      readonly has_more: boolean;
    };
    readonly ReceiptFile: {
      /** @enum {string} */
      readonly kind: 'video' | 'last_frame';
      readonly sha256: string;
      readonly size_bytes: number;
      readonly content_type: string;
    };
    readonly ReceiptStatement: {
      /** @constant */
      readonly version: 1;
      /** @description Address of the gateway that states it. */
      readonly issuer: string;
      /** @description Id of the task. */
      readonly video: string;
      readonly model: string;
      readonly files: readonly components['schemas']['ReceiptFile'][];
      /** @description Seconds. */
      readonly duration: number;
      readonly resolution: string;
      readonly ratio: string;
      /** @description Of the prompt as it was sent, in UTF-8; null where it was not kept. */
      readonly prompt_sha256: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly started_at: string | null;
      /** Format: date-time */
      readonly completed_at: string;
      readonly billed_quota: number;
    };
    readonly VideoReceipt: {
      /** @constant */
      readonly object: 'video.receipt';
      /** @description What is stated, for reading. What is signed is `payload`. */
      readonly statement: components['schemas']['ReceiptStatement'];
      /** @description Header of the signature (RFC 7515), base64url. */
      readonly protected: string;
      /** @description The statement as JSON, base64url. */
      readonly payload: string;
      /** @description Ed25519 over `protected.payload` (RFC 8037), base64url. */
      readonly signature: string;
    };
    readonly ReceiptKey: {
      /** @constant */
      readonly kty: 'OKP';
      /** @constant */
      readonly crv: 'Ed25519';
      /** @description The name by which a receipt says which key has signed it. */
      readonly kid: string;
      /** @description The key, base64url. */
      readonly x: string;
      /** @constant */
      readonly alg: 'EdDSA';
      /** @constant */
      readonly use: 'sig';
    };
    readonly ReceiptKeys: {
      readonly keys: readonly components['schemas']['ReceiptKey'][];
    };
  };
  responses: {
    /** @description Bad Request */
    readonly BadRequest: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Unauthorized */
    readonly Unauthorized: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Payment Required */
    readonly PaymentRequired: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Forbidden */
    readonly Forbidden: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Not Found */
    readonly NotFound: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Request Timeout */
    readonly RequestTimeout: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Conflict */
    readonly Conflict: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Payload Too Large */
    readonly PayloadTooLarge: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Unsupported Media Type */
    readonly UnsupportedMediaType: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Too Many Requests */
    readonly TooManyRequests: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly 'retry-after': components['headers']['RetryAfter'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Request Header Fields Too Large */
    readonly RequestHeaderFieldsTooLarge: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Internal Server Error */
    readonly InternalServerError: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Service Unavailable */
    readonly ServiceUnavailable: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly 'retry-after': components['headers']['RetryAfter'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Gateway Timeout */
    readonly GatewayTimeout: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly 'retry-after': components['headers']['RetryAfter'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Gone */
    readonly Gone: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Precondition Failed */
    readonly PreconditionFailed: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
    /** @description Range Not Satisfiable */
    readonly RangeNotSatisfiable: {
      headers: {
        readonly 'x-request-id': components['headers']['RequestId'];
        readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
        readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
        readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
        readonly 'content-range': components['headers']['Content-Range'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: {
    /** @description Identifies the request. Quote it when you ask for help. */
    readonly RequestId: string;
    /** @description Requests that the key may make per minute; absent where no key is counted. */
    readonly RateLimitLimit: number;
    /** @description Requests left. */
    readonly RateLimitRemaining: number;
    /** @description Seconds until all of them are available again. */
    readonly RateLimitReset: number;
    /** @description Seconds to wait before the next attempt. */
    readonly RetryAfter: number;
    /** @description Path of the created resource. */
    readonly Location: string;
    /** @description `true` when the `Idempotency-Key` was used before and nothing was done again. */
    readonly 'Idempotency-Replayed': string;
    /** @description The cookie of the session: `HttpOnly; SameSite=Strict`, and `Secure` over TLS. */
    readonly 'Set-Cookie': string;
    /** @description `bytes`. */
    readonly 'Accept-Ranges': string;
    /** @description The range that was sent, and the size of the file: `bytes 0-1023/146515`. */
    readonly 'Content-Range': string;
    /** @description A name for the file. */
    readonly 'Content-Disposition': string;
    /** @description Changes when the bytes do. */
    readonly ETag: string;
    /** @description When the file was stored. */
    readonly 'Last-Modified': string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly listVideos: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only tasks with this status. */
        readonly status?: components['schemas']['VideoStatus'];
        /**
         * @description Only tasks of this model.
         * @example sandbox-video
         */
        readonly model?: string;
        /**
         * @description Only tasks created after this moment: Unix seconds, or RFC 3339.
         * @example 2026-01-31T12:00:00Z
         */
        readonly created_after?: string;
        /** @description Only tasks created before this moment: Unix seconds, or RFC 3339. */
        readonly created_before?: string;
        /** @description Only tasks created with this key. */
        readonly key?: string;
        /** @description Only tasks whose id begins so. */
        readonly id_prefix?: string;
        /**
         * @description Only tasks whose prompt has all of these words, or parts of words, whatever their case; up to eight.
         * @example balloon
         */
        readonly q?: string;
        /** @description Only tasks with this metadata: `metadata[order]=17`. */
        readonly metadata?: {
          readonly [key: string]: string;
        };
        /** @description `request`: each task is shown with what was asked for, its prompt included. */
        readonly include?: 'request';
        /** @description Ignored; some clients send it with every request. */
        readonly beta?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The account’s tasks, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly createVideo: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description Your own name for this request. Repeating it with the same body within 24 hours returns the same result; nothing is done twice. */
        readonly 'Idempotency-Key'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    /** @description One of two formats: `prompt` with `references`, or `content`. The model decides which values `duration`, `ratio` and `resolution` may have; see `GET /v1/models`. */
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['VideoRequest'];
      };
    };
    readonly responses: {
      /** @description The task. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly location: components['headers']['Location'];
          readonly 'idempotency-replayed': components['headers']['Idempotency-Replayed'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Video'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter`, `mixed_formats`, `conflicting_aliases`, `unsupported_parameter`, `invalid_callback_url` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `insufficient_quota` */
      readonly 402: components['responses']['PaymentRequired'];
      /** @description `foreign_page`, `scope_missing`, `model_not_allowed`, `account_suspended` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `model_not_found`, `asset_not_found`, `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `idempotency_key_reused` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded`, `too_many_tasks` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded`, `upstream_unavailable`, `billing_unavailable`, `outcome_unknown` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly quoteVideo: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** @description One of two formats: `prompt` with `references`, or `content`. The model decides which values `duration`, `ratio` and `resolution` may have; see `GET /v1/models`. */
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['VideoRequest'];
      };
    };
    readonly responses: {
      /** @description What a creation with this body would reserve. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoQuote'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter`, `mixed_formats`, `conflicting_aliases`, `unsupported_parameter`, `invalid_callback_url` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing`, `model_not_allowed` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `model_not_found`, `asset_not_found`, `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getVideo: {
    readonly parameters: {
      readonly query?: {
        /** @description `request`: each task is shown with what was asked for, its prompt included. */
        readonly include?: 'request';
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The task, with fresh addresses for its files. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Video'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly deleteVideo: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The task is gone. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoDeleted'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `task_not_terminal` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `billing_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly cancelVideo: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The cancelled task. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Video'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `not_cancellable` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_timeout` */
      readonly 504: components['responses']['GatewayTimeout'];
    };
  };
  readonly listVideoMoments: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The moments, oldest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoMomentList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listVideoEvents: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description To resume a stream: the last event that you received. */
        readonly 'Last-Event-ID'?: string;
      };
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description All events so far, or a stream of them. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoEventList'];
          readonly 'text/event-stream': components['schemas']['Video'];
        };
      };
      /** @description There is nothing to resume: the client has seen the last status. */
      readonly 204: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getVideoReceipt: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The receipt. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoReceipt'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `receipt_unavailable` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getReceiptKeys: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The keys, the one that signs first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReceiptKeys'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description The `last_id` of the response before, or the last `id` of a stream. */
        readonly after?: string;
      };
      readonly header?: {
        /** @description To resume a stream: the last id that you received. */
        readonly 'Last-Event-ID'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Events, oldest first, or a stream of them. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AccountEventList'];
          readonly 'text/event-stream': string;
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getVideoContent: {
    readonly parameters: {
      readonly query?: {
        /** @description `1`: browsers save the file instead of showing it. */
        readonly download?: string;
      };
      readonly header?: {
        /** @description One range of bytes, for instance `bytes=0-1023`. */
        readonly Range?: string;
        /** @description The ETag that the range belongs to; if the file has changed, all of it is sent. */
        readonly 'If-Range'?: string;
        /** @description ETags, one of which the file must have. */
        readonly 'If-Match'?: string;
        /** @description ETags of the copies that you have; a match gets 304. */
        readonly 'If-None-Match'?: string;
        /** @description Like `If-None-Match`, by time. */
        readonly 'If-Modified-Since'?: string;
        /** @description Like `If-Match`, by time. */
        readonly 'If-Unmodified-Since'?: string;
      };
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The whole file. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'video/mp4': string;
          readonly 'video/webm': string;
          readonly 'video/quicktime': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The requested range. */
      readonly 206: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly 'content-range': components['headers']['Content-Range'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'video/mp4': string;
          readonly 'video/webm': string;
          readonly 'video/quicktime': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The client’s copy is current. */
      readonly 304: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly etag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_token` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `invalid_token`, `token_expired` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found`, `content_not_ready` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `content_purged` */
      readonly 410: components['responses']['Gone'];
      /** @description `precondition_failed` */
      readonly 412: components['responses']['PreconditionFailed'];
      /** @description `range_not_satisfiable` */
      readonly 416: components['responses']['RangeNotSatisfiable'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getVideoLastFrame: {
    readonly parameters: {
      readonly query?: {
        /** @description `1`: browsers save the file instead of showing it. */
        readonly download?: string;
      };
      readonly header?: {
        /** @description One range of bytes, for instance `bytes=0-1023`. */
        readonly Range?: string;
        /** @description The ETag that the range belongs to; if the file has changed, all of it is sent. */
        readonly 'If-Range'?: string;
        /** @description ETags, one of which the file must have. */
        readonly 'If-Match'?: string;
        /** @description ETags of the copies that you have; a match gets 304. */
        readonly 'If-None-Match'?: string;
        /** @description Like `If-None-Match`, by time. */
        readonly 'If-Modified-Since'?: string;
        /** @description Like `If-Match`, by time. */
        readonly 'If-Unmodified-Since'?: string;
      };
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The whole file. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'image/png': string;
          readonly 'image/webp': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The requested range. */
      readonly 206: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly 'content-range': components['headers']['Content-Range'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'image/png': string;
          readonly 'image/webp': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The client’s copy is current. */
      readonly 304: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly etag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_token` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `invalid_token`, `token_expired` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found`, `content_not_ready` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `content_purged` */
      readonly 410: components['responses']['Gone'];
      /** @description `precondition_failed` */
      readonly 412: components['responses']['PreconditionFailed'];
      /** @description `range_not_satisfiable` */
      readonly 416: components['responses']['RangeNotSatisfiable'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getVideoPoster: {
    readonly parameters: {
      readonly query?: {
        /** @description `1`: browsers save the file instead of showing it. */
        readonly download?: string;
      };
      readonly header?: {
        /** @description One range of bytes, for instance `bytes=0-1023`. */
        readonly Range?: string;
        /** @description The ETag that the range belongs to; if the file has changed, all of it is sent. */
        readonly 'If-Range'?: string;
        /** @description ETags, one of which the file must have. */
        readonly 'If-Match'?: string;
        /** @description ETags of the copies that you have; a match gets 304. */
        readonly 'If-None-Match'?: string;
        /** @description Like `If-None-Match`, by time. */
        readonly 'If-Modified-Since'?: string;
        /** @description Like `If-Match`, by time. */
        readonly 'If-Unmodified-Since'?: string;
      };
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The whole file. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The requested range. */
      readonly 206: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly 'content-range': components['headers']['Content-Range'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The client’s copy is current. */
      readonly 304: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly etag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_token` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `invalid_token`, `token_expired` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found`, `content_not_ready` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `content_purged` */
      readonly 410: components['responses']['Gone'];
      /** @description `precondition_failed` */
      readonly 412: components['responses']['PreconditionFailed'];
      /** @description `range_not_satisfiable` */
      readonly 416: components['responses']['RangeNotSatisfiable'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listAssets: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The account’s assets, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AssetList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly createAsset: {
    readonly parameters: {
      readonly query?: {
        /**
         * @description Name of the file; overrides the one in the form.
         * @example cat.png
         */
        readonly name?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'multipart/form-data': {
          readonly file: string;
          readonly name?: string;
        };
        readonly 'image/jpeg': string;
        readonly 'image/png': string;
        readonly 'image/webp': string;
        readonly 'image/gif': string;
        readonly 'image/bmp': string;
        readonly 'video/mp4': string;
        readonly 'video/quicktime': string;
        readonly 'audio/mpeg': string;
        readonly 'audio/wav': string;
        readonly 'application/octet-stream': string;
      };
    };
    readonly responses: {
      /** @description The asset. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly location: components['headers']['Location'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Asset'];
        };
      };
      /** @description `malformed_request`, `missing_parameter`, `unknown_parameter`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing`, `account_suspended` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `asset_quota_exceeded` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getAsset: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an asset.
         * @example asset_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The asset. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Asset'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `asset_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly deleteAsset: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an asset.
         * @example asset_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The asset is gone. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AssetDeleted'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `asset_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getAssetContent: {
    readonly parameters: {
      readonly query?: {
        /** @description `1`: browsers save the file instead of showing it. */
        readonly download?: string;
      };
      readonly header?: {
        /** @description One range of bytes, for instance `bytes=0-1023`. */
        readonly Range?: string;
        /** @description The ETag that the range belongs to; if the file has changed, all of it is sent. */
        readonly 'If-Range'?: string;
        /** @description ETags, one of which the file must have. */
        readonly 'If-Match'?: string;
        /** @description ETags of the copies that you have; a match gets 304. */
        readonly 'If-None-Match'?: string;
        /** @description Like `If-None-Match`, by time. */
        readonly 'If-Modified-Since'?: string;
        /** @description Like `If-Match`, by time. */
        readonly 'If-Unmodified-Since'?: string;
      };
      readonly path: {
        /**
         * @description Id of an asset.
         * @example asset_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The whole file. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'image/png': string;
          readonly 'image/webp': string;
          readonly 'image/gif': string;
          readonly 'image/bmp': string;
          readonly 'video/mp4': string;
          readonly 'video/quicktime': string;
          readonly 'audio/mpeg': string;
          readonly 'audio/wav': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The requested range. */
      readonly 206: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'accept-ranges': components['headers']['Accept-Ranges'];
          readonly etag: components['headers']['ETag'];
          readonly 'last-modified': components['headers']['Last-Modified'];
          readonly 'content-disposition': components['headers']['Content-Disposition'];
          readonly 'content-range': components['headers']['Content-Range'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'image/jpeg': string;
          readonly 'image/png': string;
          readonly 'image/webp': string;
          readonly 'image/gif': string;
          readonly 'image/bmp': string;
          readonly 'video/mp4': string;
          readonly 'video/quicktime': string;
          readonly 'audio/mpeg': string;
          readonly 'audio/wav': string;
          readonly 'application/octet-stream': string;
        };
      };
      /** @description The client’s copy is current. */
      readonly 304: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly etag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_token` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `invalid_token`, `token_expired` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `asset_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `precondition_failed` */
      readonly 412: components['responses']['PreconditionFailed'];
      /** @description `range_not_satisfiable` */
      readonly 416: components['responses']['RangeNotSatisfiable'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listVideoCallbacks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Attempts, newest first, and where the callback stands. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackAttemptList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly redeliverVideoCallbacks: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The redelivery is under way. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoRedelivery'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `no_callback` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getCallbackSecret: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The secret. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackSecret'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly rotateCallbackSecret: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['SecretRotation'];
      };
    };
    readonly responses: {
      /** @description The new secret. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackSecret'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getBalance: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The balance, in quota units. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Balance'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listLedgerEntries: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Entries, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['LedgerEntryList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listUsage: {
    readonly parameters: {
      readonly query?: {
        /** @description What one item covers. */
        readonly by?: 'day' | 'hour';
        /** @description `csv`: a file with one line for each item, its first line the names. */
        readonly format?: 'json' | 'csv';
        /** @description First day, in UTC; by default the period covers thirty days. */
        readonly from?: string;
        /** @description Last day, in UTC; today by default. A period covers at most 92 days. */
        readonly to?: string;
        /** @description Only this model. */
        readonly model?: string;
        /** @description Only this key. */
        readonly key_id?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description One item for each day or hour, model and key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['UsageList'];
          readonly 'text/csv': string;
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listCallbacks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only callbacks in this state. */
        readonly state?: components['schemas']['DeliveryState'];
        /** @description What goes to this endpoint of the account, in place of what goes to the `callback_url` of each task. */
        readonly endpoint?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description One item for each task with a callback. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['TaskCallbackList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly redeliverCallbacks: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['RedeliveryRequest'];
      };
    };
    readonly responses: {
      /** @description What is pushed again, and where to go on. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackRedelivery'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly testCallback: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CallbackTestRequest'];
      };
    };
    readonly responses: {
      /** @description What came back. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackTest'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter`, `invalid_callback_url` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly listEndpoints: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Endpoints, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['EndpointList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly createEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['EndpointRequest'];
      };
    };
    readonly responses: {
      /** @description The endpoint. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Endpoint'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter`, `invalid_callback_url` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `endpoint_exists`, `too_many_endpoints` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly getEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an endpoint.
         * @example endpoint_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The endpoint. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Endpoint'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `endpoint_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly deleteEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an endpoint.
         * @example endpoint_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description It is gone. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['EndpointDeleted'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `endpoint_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly changeEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an endpoint.
         * @example endpoint_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['EndpointPatch'];
      };
    };
    readonly responses: {
      /** @description The endpoint. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Endpoint'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `endpoint_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly verifyEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an endpoint.
         * @example endpoint_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The endpoint. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Endpoint'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `endpoint_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly testEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an endpoint.
         * @example endpoint_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description What came back. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackTest'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_callback_url` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `endpoint_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listKeys: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Keys, newest first; revoked ones too. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ApiKeyList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly createKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['ApiKeyRequest'];
      };
    };
    readonly responses: {
      /** @description The key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['NewApiKey'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing`, `model_not_allowed` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `too_many_keys` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly revokeKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an API key.
         * @example key_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The revoked key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ApiKey'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page`, `scope_missing` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `key_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session, and what its key may do. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CurrentSession'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly openSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly 'set-cookie': components['headers']['Set-Cookie'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CurrentSession'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly closeSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session has ended. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly 'set-cookie': components['headers']['Set-Cookie'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionDeleted'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listSessions: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Sessions that are valid, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly endSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path: {
        /**
         * @description Id of a session.
         * @example session_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description It has ended; every replica knows within five seconds. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionDeleted'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminGetSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Session'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminOpenSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'set-cookie': components['headers']['Set-Cookie'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Session'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminCloseSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The session has ended. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'set-cookie': components['headers']['Set-Cookie'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionDeleted'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListSessions: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Sessions that are valid, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminEndSession: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description Required of whatever a browser changes with a session: pages of other origins cannot send it.
         * @example 1
         */
        readonly 'x-gateway-console'?: '1';
      };
      readonly path: {
        /**
         * @description Id of a session.
         * @example session_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description It has ended. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SessionDeleted'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `session_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listModels: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description The same as `after`, under its name in the messages dialect. */
        readonly after_id?: string;
        /** @description Only models before this one. */
        readonly before_id?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Text and video models, in one shape that clients of all dialects read. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ModelList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getModel: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description The name of a model.
         * @example sandbox-video
         */
        readonly model: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The model. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Model'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `model_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly listModelsWithoutVersion: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description The same as `after`, under its name in the messages dialect. */
        readonly after_id?: string;
        /** @description Only models before this one. */
        readonly before_id?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Text and video models, in one shape that clients of all dialects read. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ModelList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly getModelWithoutVersion: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description The name of a model.
         * @example sandbox-video
         */
        readonly model: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The model. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'x-ratelimit-limit': components['headers']['RateLimitLimit'];
          readonly 'x-ratelimit-remaining': components['headers']['RateLimitRemaining'];
          readonly 'x-ratelimit-reset': components['headers']['RateLimitReset'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Model'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `missing_api_key`, `invalid_api_key`, `expired_api_key`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `model_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListAccounts: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Accounts, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AccountList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminCreateAccount: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['AccountRequest'];
      };
    };
    readonly responses: {
      /** @description The account, and the secret of its callbacks. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly location: components['headers']['Location'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['NewAccount'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminGetAccount: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The account. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Account'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminChangeAccount: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['AccountPatchRequest'];
      };
    };
    readonly responses: {
      /** @description The account as it is now. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Account'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminListKeys: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Keys, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ApiKeyList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminCreateKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['ApiKeyRequest'];
      };
    };
    readonly responses: {
      /** @description The key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['NewApiKey'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminRevokeKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an API key.
         * @example key_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The revoked key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ApiKey'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `key_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminChangeKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an API key.
         * @example key_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['ApiKeyPatchRequest'];
      };
    };
    readonly responses: {
      /** @description The key as it is now. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ApiKey'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `key_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminTopUp: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description Your own name for this request. Repeating it with the same body within 24 hours returns the same result; nothing is done twice. */
        readonly 'Idempotency-Key'?: string;
      };
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['TopUpRequest'];
      };
    };
    readonly responses: {
      /** @description What was added, and the balance. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'idempotency-replayed': components['headers']['Idempotency-Replayed'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['TopUp'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `idempotency_key_reused` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminAdjust: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /**
         * @description Your own name for this request. Repeating it with the same body within 24 hours returns the same result; nothing is done twice.
         * @example correction-2026-11-17
         */
        readonly 'Idempotency-Key': string;
      };
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['AdjustmentRequest'];
      };
    };
    readonly responses: {
      /** @description The balance before and after. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly 'idempotency-replayed': components['headers']['Idempotency-Replayed'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Adjustment'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `insufficient_quota` */
      readonly 402: components['responses']['PaymentRequired'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found`, `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `idempotency_key_reused` */
      readonly 409: components['responses']['Conflict'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminListLedger: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Entries, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminLedgerEntryList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminRotateSecret: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['SecretRotation'];
      };
    };
    readonly responses: {
      /** @description The new secret. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminCallbackSecret'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `invalid_json`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminReadStatus: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The status. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminStatus'];
        };
      };
      /** @description `malformed_request`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListQueues: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The queues. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['QueueList'];
        };
      };
      /** @description `malformed_request` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_unavailable` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminListGoneRoutes: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The routes, by provider. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['GoneRouteList'];
        };
      };
      /** @description `malformed_request`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminRetryRoute: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['RouteRequest'];
      };
    };
    readonly responses: {
      /** @description Whether it was left out. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RouteRetry'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly adminReadMargin: {
    readonly parameters: {
      readonly query?: {
        /** @description First day, in UTC; by default the period covers thirty days. */
        readonly from?: string;
        /** @description Last day, in UTC; today by default. A period covers at most 92 days. */
        readonly to?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Revenue, costs and margin. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['MarginReport'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListExposures: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only of this kind. */
        readonly kind?: components['schemas']['ExposureKind'];
        /** @description Only at this provider. */
        readonly provider?: string;
        /** @description Only of this account. */
        readonly account?: string;
        /** @description Only of this task. */
        readonly task?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Exposures, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ExposureList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminVerifyBilling: {
    readonly parameters: {
      readonly query?: {
        /** @description Seconds after which work in flight counts as stuck. */
        readonly grace?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The result of every invariant. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['BillingVerification'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListTasks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only this task. */
        readonly id?: string;
        /** @description Only tasks with this status. */
        readonly status?: components['schemas']['VideoStatus'];
        /** @description Only tasks of this account. */
        readonly account?: string;
        /** @description Only tasks of this model. */
        readonly model?: string;
        /** @description Only tasks at this provider. */
        readonly provider?: string;
        /** @description Only unfinished tasks that are past their deadline, have failed three times in a row at their step, or were being sent five minutes ago. */
        readonly stuck?: 'true' | 'false';
        /**
         * @description Only tasks created longer ago than this: seconds, or 30m, 12h, 7d.
         * @example 2h
         */
        readonly older_than?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Tasks, newest first, including deleted ones whose rows still exist; archived ones too in the list of an account that names no provider, by id, and in the list without any filter. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminTaskList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description The `last_id` of the response before, or the last `id` of a stream. */
        readonly after?: string;
      };
      readonly header?: {
        /** @description To resume a stream: the last id that you received. */
        readonly 'Last-Event-ID'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Events, oldest first, or a stream of them. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminTaskEventList'];
          readonly 'text/event-stream': string;
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminGetTask: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The task. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminTaskDetail'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminCancelTask: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The cancelled task. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminTaskDetail'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `not_cancellable` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `upstream_timeout` */
      readonly 504: components['responses']['GatewayTimeout'];
    };
  };
  readonly adminReadJournal: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only of this account. */
        readonly account?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Actions, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OperatorActionList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListCallbacks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Attempts, newest first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminCallbackAttemptList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminRedeliver: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The redelivery is under way. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VideoRedelivery'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `no_callback` */
      readonly 409: components['responses']['Conflict'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListTries: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of a task.
         * @example video_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The tries, in their order. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminTaskTryList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `task_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListUsage: {
    readonly parameters: {
      readonly query?: {
        /** @description First day, in UTC; by default the period covers thirty days. */
        readonly from?: string;
        /** @description Last day, in UTC; today by default. A period covers at most 92 days. */
        readonly to?: string;
        /** @description Only this model. */
        readonly model?: string;
        /** @description Only this key. */
        readonly key_id?: string;
      };
      readonly header?: never;
      readonly path: {
        /**
         * @description Id of an account.
         * @example acct_01h455vb4pex5vsknk084sn02q
         */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description One item for each day, model and key. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['UsageList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `account_not_found` */
      readonly 404: components['responses']['NotFound'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminListAllCallbacks: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items on the page. */
        readonly limit?: number;
        /** @description Only items after this one: the `last_id` of the previous page. */
        readonly after?: string;
        /** @description Only items before this one: the `first_id` of the next page. */
        readonly before?: string;
        /** @description Only callbacks in this state. */
        readonly state?: components['schemas']['DeliveryState'];
        /** @description Only of this account. */
        readonly account?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description One item for each task with a callback, newest task first. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AdminCallbackList'];
        };
      };
      /** @description `malformed_request`, `invalid_parameter`, `unknown_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
    };
  };
  readonly adminRedeliverMany: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['AdminRedeliveryRequest'];
      };
    };
    readonly responses: {
      /** @description What is pushed again, and where to go on. */
      readonly 200: {
        headers: {
          readonly 'x-request-id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackRedelivery'];
        };
      };
      /** @description `malformed_request`, `invalid_json`, `invalid_parameter`, `unknown_parameter`, `missing_parameter` */
      readonly 400: components['responses']['BadRequest'];
      /** @description `invalid_admin_token`, `invalid_session` */
      readonly 401: components['responses']['Unauthorized'];
      /** @description `foreign_page` */
      readonly 403: components['responses']['Forbidden'];
      /** @description `request_timeout` */
      readonly 408: components['responses']['RequestTimeout'];
      /** @description `payload_too_large` */
      readonly 413: components['responses']['PayloadTooLarge'];
      /** @description `unsupported_media_type` */
      readonly 415: components['responses']['UnsupportedMediaType'];
      /** @description `rate_limit_exceeded` */
      readonly 429: components['responses']['TooManyRequests'];
      /** @description `headers_too_large` */
      readonly 431: components['responses']['RequestHeaderFieldsTooLarge'];
      /** @description `internal` */
      readonly 500: components['responses']['InternalServerError'];
      /** @description `overloaded` */
      readonly 503: components['responses']['ServiceUnavailable'];
    };
  };
  readonly callbackChallenge: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description Identifies the message; the same on every retry. */
        readonly 'webhook-id': string;
        /** @description Unix time of this attempt, in seconds. */
        readonly 'webhook-timestamp': number;
        /** @description `v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the callback secret, as Standard Webhooks has it. Several, separated by spaces, while a secret is being rotated; absent while the account has none. */
        readonly 'webhook-signature'?: string;
        /** @description What the message is. */
        readonly 'x-gateway-event': 'callback.challenge';
        /** @description 1 for the first attempt. */
        readonly 'x-gateway-attempt': number;
        /** @description Id of the task; of a test, its own. */
        readonly 'x-gateway-task': string;
        /** @description Id of the endpoint; absent at the `callback_url` of a task. */
        readonly 'x-gateway-endpoint'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CallbackChallenge'];
      };
    };
    readonly responses: {
      /** @description The value of `challenge`: as JSON, as plain text, or as a form. */
      readonly '2XX': {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CallbackConsent'];
          readonly 'text/plain': string;
          readonly 'application/x-www-form-urlencoded': components['schemas']['CallbackConsent'];
        };
      };
      /** @description A failure: it is sent again after about 5 s, 1 min, 5 min, 30 min and 2 h. 410 ends all pushes of the task. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly callbackTest: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description Identifies the message; the same on every retry. */
        readonly 'webhook-id': string;
        /** @description Unix time of this attempt, in seconds. */
        readonly 'webhook-timestamp': number;
        /** @description `v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the callback secret, as Standard Webhooks has it. Several, separated by spaces, while a secret is being rotated; absent while the account has none. */
        readonly 'webhook-signature'?: string;
        /** @description What the message is. */
        readonly 'x-gateway-event': 'callback.test';
        /** @description 1 for the first attempt. */
        readonly 'x-gateway-attempt': number;
        /** @description Id of the task; of a test, its own. */
        readonly 'x-gateway-task': string;
        /** @description Id of the endpoint; absent at the `callback_url` of a task. */
        readonly 'x-gateway-endpoint'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CallbackTestEvent'];
      };
    };
    readonly responses: {
      /** @description Any 2xx: the event has arrived. */
      readonly '2XX': {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A failure: it is sent again after about 5 s, 1 min, 5 min, 30 min and 2 h. 410 ends all pushes of the task. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly videoStatusChanged: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description Identifies the message; the same on every retry. */
        readonly 'webhook-id': string;
        /** @description Unix time of this attempt, in seconds. */
        readonly 'webhook-timestamp': number;
        /** @description `v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the callback secret, as Standard Webhooks has it. Several, separated by spaces, while a secret is being rotated; absent while the account has none. */
        readonly 'webhook-signature'?: string;
        /** @description What the message is. */
        readonly 'x-gateway-event': 'video.status_changed';
        /** @description 1 for the first attempt. */
        readonly 'x-gateway-attempt': number;
        /** @description Id of the task; of a test, its own. */
        readonly 'x-gateway-task': string;
        /** @description Id of the endpoint; absent at the `callback_url` of a task. */
        readonly 'x-gateway-endpoint'?: string;
        /** @description Grows with each status of a task. */
        readonly 'x-gateway-sequence': number;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['Video'];
      };
    };
    readonly responses: {
      /** @description Any 2xx: the message has arrived. */
      readonly '2XX': {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A failure: it is sent again after about 5 s, 1 min, 5 min, 30 min and 2 h. 410 ends all pushes of the task. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
