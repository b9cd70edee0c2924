import {
  anyText,
  count,
  dictionary,
  either,
  flag,
  list,
  matching,
  oneOf,
  port,
  record,
  text,
  type Shape,
} from './shape.ts';

/**
 * The fields of the kinds that k8s/ uses, as far as it uses them: the field names and types of
 * Kubernetes 1.30.
 */
const labelName = matching(/^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
const name = matching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const quantity = matching(/^\d+(m|Mi|Gi)?$/);
const portName = matching(/^[a-z0-9-]{1,15}$/);
const portReference = either(port, portName);
const seconds = count;
const cidr = matching(/^[0-9a-f.:]+\/\d{1,3}$/);

/** A Job may have dots in its name, those of a release. */
const nameWithDots = matching(/^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/);
const metadata = record({
  'name!': nameWithDots,
  namespace: name,
  labels: dictionary(labelName),
  annotations: dictionary(anyText),
});
const selector = record({
  matchLabels: dictionary(labelName),
  matchExpressions: list(
    record({
      'key!': text,
      'operator!': oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
      values: list(labelName),
    }),
  ),
});

const probe = record({
  httpGet: record({ 'path!': text, 'port!': portReference }),
  exec: record({ 'command!': list(text) }),
  periodSeconds: seconds,
  timeoutSeconds: seconds,
  failureThreshold: count,
});
const environment = record({
  'name!': matching(/^[A-Z][A-Z0-9_]*$/),
  value: anyText,
  valueFrom: record({ 'secretKeyRef!': record({ 'name!': name, 'key!': text, optional: flag }) }),
});
const resources = record({
  'requests!': record({ cpu: quantity, memory: quantity, storage: quantity }),
  limits: record({ cpu: quantity, memory: quantity }),
});
const container = record({
  'name!': name,
  'image!': text,
  args: list(text),
  ports: list(record({ 'name!': portName, 'containerPort!': port })),
  envFrom: list(
    record({
      configMapRef: record({ 'name!': name }),
      secretRef: record({ 'name!': name, optional: flag }),
    }),
  ),
  env: list(environment),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: record({ preStop: record({ sleep: record({ 'seconds!': seconds }) }) }),
  'resources!': resources,
  'securityContext!': record({
    'allowPrivilegeEscalation!': flag,
    'readOnlyRootFilesystem!': flag,
    'capabilities!': record({ 'drop!': list(text) }),
  }),
  volumeMounts: list(record({ 'name!': name, 'mountPath!': text, readOnly: flag })),
});
const podSpec = record({
  serviceAccountName: name,
  automountServiceAccountToken: flag,
  enableServiceLinks: flag,
  restartPolicy: oneOf('OnFailure', 'Never'),
  terminationGracePeriodSeconds: seconds,
  'securityContext!': record({
    runAsNonRoot: flag,
    runAsUser: count,
    runAsGroup: count,
    fsGroup: count,
    fsGroupChangePolicy: oneOf('OnRootMismatch', 'Always'),
    seccompProfile: record({ 'type!': oneOf('RuntimeDefault') }),
  }),
  topologySpreadConstraints: list(
    record({
      'maxSkew!': count,
      'topologyKey!': text,
      'whenUnsatisfiable!': oneOf('ScheduleAnyway', 'DoNotSchedule'),
      'labelSelector!': selector,
      matchLabelKeys: list(text),
    }),
  ),
  initContainers: list(container),
  'containers!': list(container),
  volumes: list(
    record({
      'name!': name,
      emptyDir: record({ sizeLimit: quantity }),
      configMap: record({ 'name!': name }),
      secret: record({ 'secretName!': name, optional: flag, defaultMode: count }),
      persistentVolumeClaim: record({ 'claimName!': name }),
    }),
  ),
});
const template = record({
  'metadata!': record({ 'labels!': dictionary(labelName) }),
  'spec!': podSpec,
});
const claim = record({
  'accessModes!': list(oneOf('ReadWriteOnce', 'ReadWriteMany')),
  'resources!': resources,
});
const peer = record({
  podSelector: selector,
  namespaceSelector: selector,
  ipBlock: record({ 'cidr!': cidr, except: list(cidr) }),
});
const policyPorts = list(
  record({ 'port!': portReference, endPort: port, protocol: oneOf('TCP', 'UDP') }),
);
const scaling = record({
  stabilizationWindowSeconds: seconds,
  policies: list(
    record({ 'type!': oneOf('Pods', 'Percent'), 'value!': count, 'periodSeconds!': seconds }),
  ),
});
const behavior = record({ scaleUp: scaling, scaleDown: scaling });

const object = (fields: Readonly<Record<string, Shape>>): Shape =>
  record({ 'apiVersion!': text, 'kind!': text, 'metadata!': metadata, ...fields });

/** By `apiVersion kind`. */
export const kubernetesShapes: Readonly<Record<string, Shape>> = {
  'v1 Namespace': object({}),
  'v1 ServiceAccount': object({ 'automountServiceAccountToken!': oneOf(false) }),
  'v1 ConfigMap': object({ 'data!': dictionary(anyText) }),
  'v1 Service': object({
    'spec!': either(
      record({
        'selector!': dictionary(labelName),
        'ports!': list(record({ 'name!': portName, 'port!': port, 'targetPort!': portReference })),
      }),
      record({ 'type!': oneOf('ExternalName'), 'externalName!': text }),
    ),
  }),
  'v1 PersistentVolumeClaim': object({ 'spec!': claim }),
  'apps/v1 Deployment': object({
    'spec!': record({
      replicas: count,
      revisionHistoryLimit: count,
      'selector!': selector,
      'template!': template,
      strategy: record({
        'type!': oneOf('RollingUpdate', 'Recreate'),
        rollingUpdate: record({ maxUnavailable: count, maxSurge: count }),
      }),
    }),
  }),
  'apps/v1 StatefulSet': object({
    'spec!': record({
      'serviceName!': name,
      replicas: count,
      'selector!': selector,
      'template!': template,
      volumeClaimTemplates: list(
        record({ 'metadata!': record({ 'name!': name }), 'spec!': claim }),
      ),
    }),
  }),
  'batch/v1 Job': object({
    'spec!': record({
      backoffLimit: count,
      activeDeadlineSeconds: seconds,
      ttlSecondsAfterFinished: seconds,
      'template!': template,
    }),
  }),
  'policy/v1 PodDisruptionBudget': object({
    'spec!': record({
      maxUnavailable: count,
      unhealthyPodEvictionPolicy: oneOf('AlwaysAllow'),
      'selector!': selector,
    }),
  }),
  'networking.k8s.io/v1 NetworkPolicy': object({
    'spec!': record({
      'podSelector!': selector,
      'policyTypes!': list(oneOf('Ingress', 'Egress')),
      ingress: list(record({ from: list(peer), ports: policyPorts })),
      egress: list(record({ 'to!': list(peer), ports: policyPorts })),
    }),
  }),
  'networking.k8s.io/v1 Ingress': object({
    'spec!': record({
      ingressClassName: name,
      tls: list(record({ hosts: list(text), secretName: name })),
      'rules!': list(
        record({
          host: text,
          http: record({
            'paths!': list(
              record({
                'path!': text,
                'pathType!': oneOf('Prefix', 'Exact'),
                'backend!': record({
                  'service!': record({
                    'name!': name,
                    'port!': record({ name: portName, number: port }),
                  }),
                }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  'autoscaling/v2 HorizontalPodAutoscaler': object({
    'spec!': record({
      'scaleTargetRef!': record({
        'apiVersion!': oneOf('apps/v1'),
        'kind!': oneOf('Deployment'),
        'name!': name,
      }),
      'minReplicas!': count,
      'maxReplicas!': count,
      behavior,
      'metrics!': list(
        record({
          'type!': oneOf('Resource'),
          'resource!': record({
            'name!': oneOf('cpu', 'memory'),
            'target!': record({ 'type!': oneOf('Utilization'), 'averageUtilization!': count }),
          }),
        }),
      ),
    }),
  }),
  'keda.sh/v1alpha1 TriggerAuthentication': object({
    'spec!': record({
      'secretTargetRef!': list(record({ 'parameter!': text, 'name!': name, 'key!': text })),
    }),
  }),
  'keda.sh/v1alpha1 ScaledObject': object({
    'spec!': record({
      'scaleTargetRef!': record({ 'name!': name }),
      'minReplicaCount!': count,
      'maxReplicaCount!': count,
      pollingInterval: seconds,
      fallback: record({
        'failureThreshold!': count,
        'replicas!': count,
        behavior: oneOf(
          'static',
          'currentReplicas',
          'currentReplicasIfHigher',
          'currentReplicasIfLower',
          'scalingModifiers',
        ),
      }),
      advanced: record({
        scalingModifiers: record({
          'formula!': text,
          'target!': matching(/^\d+$/),
          metricType: oneOf('AverageValue', 'Value'),
        }),
        horizontalPodAutoscalerConfig: record({ behavior }),
      }),
      'triggers!': list(
        either(
          record({
            'type!': oneOf('redis'),
            'name!': matching(/^[a-z_]+$/),
            'authenticationRef!': record({ 'name!': name }),
            'metadata!': record({
              'address!': matching(/^[\w.-]+:\d+$/),
              'listName!': text,
              'listLength!': matching(/^\d+$/),
            }),
          }),
          record({
            'type!': oneOf('prometheus'),
            'name!': matching(/^[a-z_]+$/),
            'metadata!': record({
              'serverAddress!': matching(/^http:\/\/[\w.-]+:\d+$/),
              'query!': text,
              'threshold!': matching(/^\d+$/),
              'ignoreNullValues!': oneOf('false'),
            }),
          }),
        ),
      ),
    }),
  }),
  'gateway.networking.k8s.io/v1 HTTPRoute': object({
    'spec!': record({
      'parentRefs!': list(record({ 'name!': name, namespace: name })),
      hostnames: list(text),
      'rules!': list(
        record({
          matches: list(
            record({ 'path!': record({ 'type!': oneOf('PathPrefix', 'Exact'), 'value!': text }) }),
          ),
          timeouts: record({ request: text, backendRequest: text }),
          'backendRefs!': list(record({ 'name!': name, 'port!': port })),
        }),
      ),
    }),
  }),
  'monitoring.coreos.com/v1 PodMonitor': object({
    'spec!': record({
      'selector!': selector,
      podTargetLabels: list(text),
      'podMetricsEndpoints!': list(record({ 'port!': portName, 'path!': text, interval: text })),
    }),
  }),
  'monitoring.coreos.com/v1 PrometheusRule': object({
    'spec!': record({
      'groups!': list(
        record({
          'name!': text,
          'rules!': list(
            record({
              'alert!': text,
              'expr!': text,
              for: text,
              labels: dictionary(text),
              annotations: dictionary(text),
            }),
          ),
        }),
      ),
    }),
  }),
};
